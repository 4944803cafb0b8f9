"""DL312 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.padding_waste import PaddingWaste
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, PaddingEvidence
from dldoctor.evidence.distribution import Distribution, Extreme, Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Unjudged

LENGTHS = Distribution(
    64, 5, 100, 40, 20, 5, 40, 80, 98, largest=(Extreme(3, 100), Extreme(9, 98), Extreme(1, 97))
)
WASTE = PaddingEvidence("input_ids", "attention_mask", 0.44, 0.06, 0.03, 64, LENGTHS, 0.4, 0.48)


IN_THE_COLLATE = (
    'Pad in the collate, to the longest row of each batch (`padding="longest"`), not to a fixed length.'
)


def judged(
    padding: PaddingEvidence | None, shapes: tuple[str, ...] = (), own: tuple[str, ...] = (), **settings
) -> list[tuple]:
    given = {"kind": "map", "given": "loader", **settings}
    spec = LoaderSpec(loader_type="DataLoader", dataset_type="Set", batch_size=8, **given)
    field = FieldEvidence("input_ids", "batch", "Tensor", "int64", shapes=tuple(Tally(s, 4) for s in shapes))
    samples = replace(field, stage="sample", shapes=tuple(Tally(s, 4) for s in own), shape_count=len(own))
    case = Case(
        Evidence(loader=spec, fields=(samples, field), batches=BatchesEvidence(8, 8, True, padding=padding))
    )
    found = PaddingWaste().judge(case)
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.message, f.advice)
        for f in found
    ]


def test_what_grouping_would_save_is_said_with_the_setting() -> None:
    """Grouping is enough."""
    message = "44% of the positions in `input_ids` are padding; grouping by length would leave 6%, packing 3%"
    advice = "Pass a `batch_sampler` that groups by length (`group_by_length` in the Hugging Face Trainer)."
    assert judged(WASTE) == [("warning", message, advice)]


def test_the_setting_fits_the_loader() -> None:
    """A stream has no batch sampler; a fixed width is cured by the collate."""
    assert [f[2] for f in judged(WASTE, kind="iterable")] == [
        "Sort a buffer of samples by length in the stream before they are batched."
    ]
    assert [f[2] for f in judged(WASTE, shapes=("8x128",))] == [IN_THE_COLLATE]
    packed = replace(WASTE, share_grouped=0.4)
    assert [f[2] for f in judged(packed)] == [
        "Pack several texts into one row (`packing=True` where the trainer has it)."
    ]


def test_samples_that_come_padded_gain_nothing_by_another_order() -> None:
    """The longest of them fills the width; a collate that pads to the longest does so too, for one batch."""
    assert [f[2] for f in judged(WASTE, shapes=("8x100",), own=("100",))] == [IN_THE_COLLATE]
    assert [f[2] for f in judged(WASTE, shapes=("8x100",), own=("100", "40"))] != [IN_THE_COLLATE]


def test_the_limits_are_30_percent_and_10_points() -> None:
    """At the limit it is clean; without a saving it is a note."""
    assert judged(replace(WASTE, share=0.3)) == []
    assert [f[0] for f in judged(replace(WASTE, share_grouped=0.35, share_packed=0.35))] == ["info"]


def test_one_long_row_is_left_to_the_rule_for_outliers() -> None:
    """Grouping cannot help against a row that pads its batch by itself."""
    book = replace(LENGTHS, max=3000, largest=(Extreme(3, 3000), Extreme(9, 98), Extreme(1, 97)))
    padding = replace(WASTE, share=0.78, share_grouped=0.77, lengths=book)
    assert [f[0] for f in judged(padding)] == ["info"]


def test_what_cannot_be_judged_says_so() -> None:
    """No padding, too few rows, or a batch size of ours."""
    assert [f[0] for f in judged(None)] == ["not-applicable"]
    assert [f[0] for f in judged(replace(WASTE, rows=31))] == ["insufficient-evidence"]
    assert [f[0] for f in judged(WASTE, given="pair")] == ["not-applicable"]
