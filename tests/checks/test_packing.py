"""DL321 to DL324 on hand-made packs."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.boundary_label_trained import BoundaryLabelTrained
from dldoctor.checks.mask_defeats_packing import MaskDefeatsPacking
from dldoctor.checks.packing_leaks import PackingLeaks
from dldoctor.checks.positions_not_reset import PositionsNotReset
from dldoctor.evidence.labels import Leak
from tests.checks.label_cases import GROUP, judged, levels, rows

PLAIN = replace(GROUP, mask=None, mask_kind="none", positions="position_ids", documents_by="samples")
BOUNDED = replace(PLAIN, boundaries="cu_seqlens", documents_by="bounds")
PACK = {"documents": 4, "restarts": 4}
RUN_ON = {"documents": 4, "restarts": 1}
SFT = {"task": "sft"}


def test_positions_are_compared_with_documents() -> None:
    """Where something else keeps documents apart; in pretraining it is a note."""
    (found,) = judged(PositionsNotReset(), rows(2, **RUN_ON), group=BOUNDED)
    assert found.message == (
        "`position_ids` begins anew 2 times for 8 documents in 2 packed rows (documents by bounds)"
    )
    assert levels(PositionsNotReset(), rows(2, **PACK), group=BOUNDED) == []
    assert levels(PositionsNotReset(), rows(2, **RUN_ON), group=BOUNDED, intent={"task": "pretrain"}) == [
        "info"
    ]
    assert levels(PositionsNotReset(), rows(2), group=BOUNDED) == ["not-applicable"]


def test_nothing_between_documents_leaks_by_what_is_declared() -> None:
    """Pretraining allows it, fine-tuning suffers from it, undeclared both are said."""
    table = rows(2, **RUN_ON)
    assert levels(PackingLeaks(), table, group=PLAIN, intent=SFT) == ["warning"]
    assert levels(PackingLeaks(), table, group=PLAIN) == ["info"]
    assert levels(
        PackingLeaks(), table, group=PLAIN, intent={"task": "sft", "allow_cross_document": True}
    ) == ["info"]
    assert levels(PackingLeaks(), rows(2, **PACK), group=PLAIN, intent=SFT) == []
    assert levels(PackingLeaks(), table, group=BOUNDED, intent=SFT) == []


def test_documents_told_by_end_tokens_leak_by_what_is_declared() -> None:
    """A stream cut into windows is how most pretraining packs; a model that was tried changes nothing in that."""
    ends = replace(PLAIN, positions=None, documents_by="eos")
    table, leak = rows(2, documents=4), Leak("Llama", "from config", 0.0996, 4, "sdpa")
    for intent, level in (({}, "info"), ({"task": "pretrain"}, "info")):
        assert levels(PackingLeaks(), table, group=ends, intent=intent) == [level]
        assert levels(PackingLeaks(), table, group=ends, intent=intent, leak=leak) == [level]
    assert levels(PackingLeaks(), table, group=ends, intent=SFT) == ["warning"]
    assert levels(PackingLeaks(), table, group=ends, intent=SFT, leak=leak) == ["error"]
    (found,) = judged(PackingLeaks(), table, group=ends)
    assert found.message.startswith(
        "nothing keeps the 8 documents (told by end tokens) of 2 packed rows apart: no block mask"
    )


def test_a_leaking_block_and_a_changed_logit_are_proof() -> None:
    """Values of this run."""
    block = replace(PLAIN, mask="attention_mask", mask_kind="block")
    assert levels(PackingLeaks(), rows(2, **PACK, leaks=3), group=block) == ["error"]
    assert levels(PackingLeaks(), rows(2, **PACK, leaks=3), group=block, intent={"task": "pretrain"}) == [
        "info"
    ]
    leak = Leak("Llama", "from config", 0.0996, 4, "sdpa")
    assert levels(PackingLeaks(), rows(2, **RUN_ON), group=PLAIN, leak=leak) == ["error"]
    assert levels(PackingLeaks(), rows(2, **RUN_ON), group=PLAIN, leak=replace(leak, change=0.0)) == []


def test_a_mask_of_ones_beside_restarts() -> None:
    """Flash attention goes by the positions; a model that was tried and isolates is believed."""
    defeated = replace(PLAIN, mask="attention_mask", mask_kind="flags")
    assert levels(MaskDefeatsPacking(), rows(2, **PACK), group=defeated) == ["error"]
    assert levels(MaskDefeatsPacking(), rows(2, **PACK), group=defeated, intent={"attn": "flash"}) == []
    assert levels(MaskDefeatsPacking(), rows(2, **RUN_ON), group=defeated) == []
    still = Leak("Llama", "from config", 0.0, 4, "sdpa")
    assert levels(MaskDefeatsPacking(), rows(2, **PACK), group=defeated, leak=still) == ["info"]
    assert levels(PackingLeaks(), rows(2, **PACK), group=defeated, leak=replace(still, change=0.1)) == []


def test_first_tokens_of_documents() -> None:
    """A warning where documents are kept apart; where nothing does, the leak is the fault."""
    table = rows(2, **PACK, bound_trained=3)
    assert levels(BoundaryLabelTrained(), table, group=PLAIN, intent=SFT) == ["warning"]
    assert levels(BoundaryLabelTrained(), table, group=PLAIN, intent={"task": "pretrain"}) == ["info"]
    assert levels(BoundaryLabelTrained(), rows(2, **RUN_ON, bound_trained=3), group=PLAIN, intent=SFT) == [
        "info"
    ]
    assert levels(BoundaryLabelTrained(), rows(2, **PACK), group=PLAIN) == []


def test_positions_that_begin_anew_elsewhere_are_told_by_one_rule() -> None:
    """As many restarts as documents, one token off: the first tokens that seem trained are another fault's."""
    beside = rows(2, **PACK, beside=3, bound_trained=3)
    (found,) = judged(PositionsNotReset(), beside, group=BOUNDED)
    assert found.message == (
        "`position_ids` begins anew at other places than `cu_seqlens` says that documents begin: at 6 of 6 boundaries"
        " in 2 packed rows position 0 is not the first token"
    )
    assert found.level.value == "warning"
    assert levels(BoundaryLabelTrained(), beside, group=BOUNDED) == []
    assert levels(PositionsNotReset(), beside, group=PLAIN) == []
