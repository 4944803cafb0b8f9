"""DL201 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.non_finite import NonFinite
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, DroppedField
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Unjudged
from dldoctor.intent import Inferred


def field(path: str, stage: str = "sample", bad: tuple[int, ...] = (), **facts) -> FieldEvidence:
    values = {"present": 32, "checked": 32, "nan_count": 4 * len(bad), "min": -1.0, "max": 1.0, **facts}
    return FieldEvidence(path, stage, "Tensor", "float32", nonfinite=Offenders(len(bad), bad), **values)


def judged(*fields: FieldEvidence, roles: dict[str, str] | None = None, **evidence) -> list[tuple]:
    loader = LoaderSpec("map", "DataLoader", "Set", "loader", batch_size=8)
    inferred = {path: Inferred(role, 0.95, "") for path, role in (roles or {}).items()}
    case = Case(Evidence(loader=loader, fields=fields, **evidence), inferred=inferred)
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.message, f.samples)
        for f in NonFinite().judge(case)
    ]


DELIVERED = BatchesEvidence(4, 4, True)


def test_one_sample_is_enough_and_is_named() -> None:
    """NaN is proven by a value."""
    message = "`features` holds 4 NaN values in 1 of 32 samples: sample 7"
    assert judged(field("features", bad=(7,))) == [("error", message, (7,))]


def test_the_batch_does_not_repeat_what_the_sample_said() -> None:
    """The same NaN in the batch is the same fault."""
    both = (field("x", bad=(7,)), field("x", "batch", bad=(0,), present=4, checked=4))
    assert [found[0] for found in judged(*both, batches=DELIVERED)] == ["error"]
    renamed = (field("x", bad=(7,), reaches="y"), field("y", "batch", bad=(0,), present=4, checked=4))
    assert [found[0] for found in judged(*renamed, batches=DELIVERED)] == ["error"]


def test_nan_made_by_the_collate_is_told_apart() -> None:
    """Finite samples, and NaN in the batch; a flat sample is named as the likely cause."""
    sample = field("x", constant=Offenders(1, (5,)))
    batch = field("x", "batch", bad=(1,), present=4, checked=4)
    message = (
        "`x` holds 4 NaN values in 1 of 4 batches; the samples hold finite values only; "
        "sample 5 of one single value may be the cause"
    )
    assert judged(sample, batch, batches=DELIVERED) == [("error", message, (5,))]


def test_fields_with_the_same_bad_samples_are_one_finding() -> None:
    """One broken sample, one finding."""
    message = "`a` and `b` hold 8 NaN values in 1 of 32 samples: sample 7"
    assert judged(field("a", bad=(7,)), field("b", bad=(7,))) == [("error", message, (7,))]


def test_an_additive_mask_is_no_fault() -> None:
    """Minus infinity beside zeros, by its values or by its role."""
    mask = {"nan_count": 0, "inf_count": 60}
    zero = {"min": 0.0, "max": 0.0, "negative_inf_only": True}
    assert judged(field("bias", bad=(1, 2), **mask, **zero)) == []
    assert judged(field("m", bad=(1, 2), **mask), roles={"m": "attention_mask"}) == []


def test_minus_infinity_is_a_fault_where_no_mask_can_be() -> None:
    """In pixels, beside NaN, and without one finite value."""
    zero = {"min": 0.0, "max": 0.0, "negative_inf_only": True}
    pixels = field("image", bad=(1,), nan_count=0, inf_count=2, **zero)
    assert [found[0] for found in judged(pixels, roles={"image": "pixel_values"})] == ["error"]
    mixed = field("m", bad=(1,), nan_count=1, inf_count=2)
    assert [found[0] for found in judged(mixed, roles={"m": "attention_mask"})] == ["error"]
    nothing = field("x", bad=(1,), nan_count=0, inf_count=2, min=None, max=None, negative_inf_only=True)
    assert [found[0] for found in judged(nothing)] == ["error"]


def test_nan_that_never_reaches_training_is_a_note() -> None:
    """The collate drops the field, or replaces the values."""
    dropped = BatchesEvidence(4, 4, True, dropped=(DroppedField("gps", 4, 0, (1,)),))
    assert [found[0] for found in judged(field("gps", bad=(1,)), batches=dropped)] == ["info"]
    filled = (field("x", bad=(1,)), field("x", "batch", present=4, checked=4))
    assert [found[0] for found in judged(*filled, batches=DELIVERED)] == ["info"]
    failed = BatchesEvidence(4, 4, True, failed=1)
    assert [found[0] for found in judged(*filled, batches=failed)] == ["error"]


def test_text_alone_is_not_judged() -> None:
    """Nothing that could hold NaN."""
    text = FieldEvidence("caption", "sample", "str", None, present=32)
    assert judged(text) == [("not-applicable", "no field holds floating-point numbers")]
    unseen = field("x", checked=0)
    assert judged(unseen) == [
        ("insufficient-evidence", "the values of no floating-point field were looked at")
    ]
