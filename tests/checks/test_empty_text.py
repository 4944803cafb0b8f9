"""DL213 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.empty_text import EmptyText
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, PaddingEvidence
from dldoctor.evidence.distribution import Distribution, Extreme
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.protocol import Emptied, ProtocolEvidence
from dldoctor.finding import Unjudged
from dldoctor.intent import Inferred


def text(path: str, empty: int, container: str = "str", special: int = 0, start: int = 0) -> FieldEvidence:
    return FieldEvidence(
        path,
        "sample",
        container,
        None,
        present=100,
        empty=Offenders(empty, tuple(range(start, start + min(empty, 20)))),
        special_only=Offenders(special, tuple(range(50, 50 + special))),
    )


def judged(*fields: FieldEvidence, roles: dict[str, str] | None = None, **evidence) -> list[tuple]:
    inferred = {path: Inferred(role, 0.95, "") for path, role in (roles or {}).items()}
    found = EmptyText().judge(Case(Evidence(fields=fields, **evidence), inferred=inferred))
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.message, f.samples)
        for f in found
    ]


def test_an_empty_caption_is_named() -> None:
    """One is enough."""
    message = "`caption` is empty in 1 of 100 samples (1%): sample 0"
    assert judged(text("caption", 1)) == [("warning", message, (0,))]


def test_captions_that_come_back_with_other_random_numbers_are_dropped_on_purpose() -> None:
    """All of those that were read again: a note; where some stay empty, these are named."""
    again = ProtocolEvidence(100, emptied=(Emptied("caption", (0, 1, 2), (0, 1, 2)),))
    ((level, message, samples),) = judged(text("caption", 9), protocol=again)
    assert (level, samples) == ("info", (0, 1, 2))
    assert message == (
        "`caption` is empty in 9 of 100 samples (9%), and all 3 of them that were read again with other random "
        "numbers hold text: dropped at random on purpose, as for classifier-free guidance?"
    )
    some = ProtocolEvidence(100, emptied=(Emptied("caption", (0, 1, 2), (0, 2)),))
    ((level, message, samples),) = judged(text("caption", 9), protocol=some)
    assert (level, samples) == ("warning", (1,))
    assert message.endswith("; of 3 that were read again 1 stay empty (sample 1)")
    none = ProtocolEvidence(100, emptied=(Emptied("caption", (0, 1, 2), ()),))
    assert judged(text("caption", 9), protocol=none) == judged(text("caption", 9))


def test_a_row_of_special_tokens_is_empty_too() -> None:
    """BOS and EOS alone are no text."""
    ids = text("input_ids", 0, "list", special=2)
    message = "`input_ids` is nothing but special tokens in 2 of 100 samples (2%): samples 50 and 51"
    assert judged(ids, roles={"input_ids": "token_ids"}) == [("warning", message, (50, 51))]


def test_text_and_its_tokens_are_one_finding() -> None:
    """The same samples, the same cause."""
    found = judged(text("text", 2), text("ids", 2, "list"), roles={"ids": "token_ids"})
    message = "`text` and `ids` are empty in 2 of 100 samples (2%): samples 0 and 1"
    assert found == [("warning", message, (0, 1))]


def test_an_optional_text_beside_another_is_a_note() -> None:
    """Often empty beside a text that is not: a system prompt, notes."""
    levels = [found[0] for found in judged(text("system", 26), text("prompt", 0))]
    assert levels == ["info"]
    levels = [found[0] for found in judged(text("answer", 25), text("prompt", 0))]
    assert levels == ["warning"]


def test_the_only_text_is_not_optional_unless_its_role_is_unknown() -> None:
    """Captions that are mostly missing are a fault; notes are not."""
    assert [f[0] for f in judged(text("caption", 60), roles={"caption": "text"})] == ["warning"]
    assert [f[0] for f in judged(text("notes", 60))] == ["info"]


def test_names_of_samples_and_empty_lists_are_no_text() -> None:
    """Ids, metadata and detections without an object."""
    roles = {"key": "sample_id", "source": "meta"}
    found = judged(text("key", 3), text("source", 3), text("objects", 3, "list"), roles=roles)
    assert found == [("not-applicable", "no field holds text or token ids")]


def test_rows_without_a_token_are_seen_in_the_batch() -> None:
    """Tokenised in the collate: the samples have text, and a row has nothing."""
    lengths = Distribution(64, 0, 9, 5, 2, 0, 5, 8, 9, smallest=(Extreme(4, 0), Extreme(9, 3)))
    padding = PaddingEvidence("input_ids", "attention_mask", 0.2, 0.1, 0.1, 64, lengths, 0.1, 0.3)
    batches = BatchesEvidence(8, 8, True, padding=padding)
    message = "`input_ids` has 1 row without a single token among 64: sample 4"
    assert judged(text("text", 0), batches=batches) == [("warning", message, (4,))]
