"""DL216 on hand-made evidence."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.channel_mix import ChannelMix
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, MixedBatches
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.finding import Unjudged
from dldoctor.intent import Inferred

RGB, GREY = Tally("3x16x16", 38, (0, 1)), Tally("1x16x16", 2, (6, 33))


def field(stage: str, shapes: tuple[Tally, ...], container: str = "Tensor", **facts) -> FieldEvidence:
    dtype = facts.pop("dtype", None if container == "PIL.Image" else "float32")
    return FieldEvidence(
        "image", stage, container, dtype, present=40, shapes=shapes, shape_count=len(shapes), **facts
    )


def judged(
    *fields: FieldEvidence, batches: BatchesEvidence | None = None, role: str = "pixel_values", **evidence
):
    spec = evidence.pop(
        "loader", LoaderSpec("map", "DataLoader", "Set", "loader", batch_size=8, shuffle=True)
    )
    case = Case(
        Evidence(loader=spec, fields=fields, batches=batches or BatchesEvidence(5, 5, True), **evidence),
        inferred={"image": Inferred(role, 0.95, "")} if role else {},
    )
    return [
        (f.status, f.reason) if isinstance(f, Unjudged) else (f.level.value, f.samples, f.message)
        for f in ChannelMix().judge(case)
    ]


def test_a_collate_that_raised_on_a_mix_is_an_error() -> None:
    """The rare channel count is named, with the exception."""
    failure = Failure(
        "collate", 0, "RuntimeError: stack expects each tensor to be equal size", "RuntimeError", 2
    )
    batches = BatchesEvidence(3, 5, True, failed=2, mixed=(MixedBatches("shape", "image", 0, 2),))
    message = (
        "images in `image` have 2 channel counts: 1 in 2 samples (6 and 33), 3 in 38; "
        "the collate raised RuntimeError on 2 batches"
    )
    found = judged(field("sample", (RGB, GREY)), batches=batches, failures=(failure,))
    assert found == [("error", (6, 33), message)]


def test_batches_of_one_show_the_mix() -> None:
    """Nothing raised, and the batches differ in channels."""
    batch = field("batch", (Tally("1x3x16x16", 38), Tally("1x1x16x16", 2)))
    message = (
        "images in `image` have 2 channel counts: 1 in 2 samples (6 and 33), 3 in 38; "
        "they reach the batches unconverted"
    )
    assert judged(field("sample", (RGB, GREY)), batch) == [("error", (6, 33), message)]


def test_a_collate_that_converts_is_silent() -> None:
    """Pillow images of several modes, and batches of one kind."""
    modes = (Tally("RGB", 38), Tally("L", 2, (6, 33)))
    pillow = field("sample", (Tally("16x16", 40),), "PIL.Image", modes=modes)
    assert judged(pillow, field("batch", (Tally("8x3x16x16", 5),))) == []
    assert judged(field("sample", (RGB, GREY)), field("batch", (Tally("8x3x16x16", 5),))) == []


def test_pillow_images_kept_in_a_list_are_a_note() -> None:
    """The model's own processor may convert them; tensors of several kinds it cannot take."""
    modes = (Tally("RGB", 38), Tally("CMYK", 2, (6, 33)))
    pillow = field("sample", (Tally("16x16", 40),), "PIL.Image", modes=modes)
    found = judged(pillow, field("batch", (Tally("8", 5),), "list[PIL.Image]"))
    assert [one[:2] for one in found] == [("info", (6, 33))]
    found = judged(field("sample", (RGB, GREY)), field("batch", (Tally("8", 5),), "list[Tensor]"))
    assert [one[:2] for one in found] == [("risk", (6, 33))]


def test_wide_integers_in_the_batch_are_16_bit_images() -> None:
    """uint8 and uint16 promoted to one dtype keep two scales."""
    dtypes = (Tally("uint8", 38), Tally("int32", 2, (3, 4)))
    mixed = field("sample", (Tally("1x16x16", 40),), dtype="uint8", dtypes=dtypes)
    found = judged(mixed, field("batch", (Tally("8x1x16x16", 5),), dtype="int32"))
    assert [one[:2] for one in found] == [("error", (3, 4))]
    assert judged(mixed, field("batch", (Tally("8x1x16x16", 5),), dtype="float32")) == []


def test_one_kind_is_clean_and_masks_are_not_judged() -> None:
    """All grey is fine; label maps of several modes are no images."""
    assert judged(field("sample", (Tally("1x16x16", 40),))) == []
    modes = (Tally("L", 38), Tally("P", 2, (6, 33)))
    mask = field("sample", (Tally("16x16", 40),), "PIL.Image", modes=modes)
    assert judged(mask, role="segmentation_mask") == [("not-applicable", "no field holds images")]
