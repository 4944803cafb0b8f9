"""DL214 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.float64_field import Float64Field
from dldoctor.evidence import Evidence
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.finding import Unjudged
from dldoctor.intent import Inferred


def batch(path: str, shape: str, nbytes: int, dtype: str = "float64", **facts) -> FieldEvidence:
    facts = {"transfer": "tensor", **facts}
    return FieldEvidence(
        path, "batch", "Tensor", dtype, present=4, shapes=(Tally(shape, 4),), nbytes=nbytes, **facts
    )


def sample(path: str, container: str, dtype: str | None, **facts) -> FieldEvidence:
    return FieldEvidence(path, "sample", container, dtype, present=32, **facts)


def judged(*fields: FieldEvidence, roles: dict[str, str] | None = None) -> list[tuple]:
    inferred = {path: Inferred(role, 0.95, "") for path, role in (roles or {}).items()}
    found = Float64Field().judge(Case(Evidence(fields=fields), inferred=inferred))
    return [(f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.message) for f in found]


def test_pixels_in_double_precision_are_named_with_their_origin() -> None:
    """The array was float64 in the sample."""
    message = (
        "`image` reaches the batch as float64, from a NumPy array of float64 in the sample; "
        "float32 would save 24.6 kB per batch"
    )
    fields = (sample("image", "ndarray", "float64"), batch("image", "8x3x16x16", 49152))
    assert judged(*fields) == [("warning", message)]


def test_the_collate_is_named_where_the_sample_was_single() -> None:
    """A collate that goes through NumPy makes doubles."""
    message = (
        "`x` reaches the batch as float64, from the collate (float32 in the sample); "
        "float32 would save 256 bytes per batch"
    )
    assert judged(sample("x", "Tensor", "float32"), batch("x", "8x8", 512)) == [("warning", message)]


def test_a_label_of_one_python_float_is_a_note() -> None:
    """A few bytes cost nothing; the dtype is still worth knowing."""
    message = (
        "`score` reaches the batch as float64, from Python floats; float32 would save 32 bytes per batch"
    )
    assert judged(sample("score", "float", None), batch("score", "8", 64)) == [("info", message)]


def test_many_labels_of_one_number_stay_a_note() -> None:
    """A large batch does not make a label a tensor of features."""
    assert [f[0] for f in judged(batch("score", "4096", 32768))] == ["info"]


def test_boxes_and_timestamps_may_be_double() -> None:
    """They need the precision, or no network sees them."""
    fields = (batch("boxes", "8x20x4", 5120), batch("t", "8x100", 6400))
    assert [f[0] for f in judged(*fields, roles={"boxes": "boxes", "t": "timestamps"})] == ["info"]


def test_a_list_of_floats_is_counted_as_one() -> None:
    """`default_collate` makes one tensor a position of it."""
    source = sample("features", "list", "float", float64=True, nbytes=80)
    parts = [batch(f"features.{n}", "8", 64) for n in range(10)]
    message = (
        "`features.0`, `features.1` and `features.2` and 7 more reach the batch as float64, from Python floats; "
        "float32 would save 320 bytes per batch"
    )
    assert judged(source, *parts) == [("warning", message)]


def test_single_precision_is_clean() -> None:
    """Nothing to say."""
    assert judged(batch("image", "8x3x16x16", 24576, dtype="float32")) == []


def test_without_a_batch_nothing_is_known() -> None:
    """All collates failed."""
    assert judged(sample("x", "ndarray", "float64")) == [("insufficient-evidence", "no batch was delivered")]
