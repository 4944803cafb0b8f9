"""Edges of DL108 shape-varies on hand-made evidence."""

from __future__ import annotations

import pytest

from dldoctor.checks.base import Case
from dldoctor.checks.causes.collate import troubles
from dldoctor.checks.causes.shapes import chance_of_mix, shape_mix
from dldoctor.checks.shape_varies import ShapeVaries
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, MixedBatches
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Level
from dldoctor.intent import Inferred

SHAPES = (Tally("3x8x8", 63, (0, 1)), Tally("3x8x7", 1, (40,)))
FAILURE = Failure(
    "collate", 40, "RuntimeError: stack expects each tensor to be equal size", "RuntimeError", 1
)


def field(*shapes, path="image", dtype="float32"):
    return FieldEvidence(path, "sample", "Tensor", dtype, 64, shapes=shapes, shape_count=len(shapes))


def case(mixed=(), *, shapes=SHAPES, failures=(), default=True, delivered=8, inferred=None, **spec):
    spec = {"batch_size": 8, "given": "loader", "shuffle": True} | spec
    return Case(
        Evidence(
            loader=LoaderSpec("map", "DataLoader", "D", default_collate=default, **spec),
            fields=(field(*shapes),),
            failures=failures,
            samples=SamplesEvidence(64, 0, 64),
            batches=BatchesEvidence(delivered, None, True, failed=len(failures), mixed=mixed),
        ),
        inferred=inferred or {},
    )


def test_gives_the_histogram_and_the_chance():
    """The rare shape stands first, with its sample and what the shuffle makes of it."""
    mix = MixedBatches("shape", "image", 0, 1, mended=True)
    (found,) = ShapeVaries().judge(case((mix,), failures=(FAILURE,), delivered=7))
    assert found.message == (
        "`image` has 2 shapes: 3x8x7 in 1 sample (40), 3x8x8 in 63; the collate raised RuntimeError on "
        "1 batch; a shuffled batch of 8 mixes them with a chance of 12%"
    )
    assert (found.level, found.samples, found.facts["chance"]) == (Level.ERROR, (40,), 0.125)
    assert found.facts["shapes"][0] == {"value": "3x8x7", "count": 1, "samples": ["40"]}


@pytest.mark.parametrize(
    ("mixed", "default"),
    [
        ((MixedBatches("shape", "image", 8, 0),), False),
        ((MixedBatches("shape", "image", 0, 0, False),), False),
        ((), False),
    ],
)
def test_a_collate_that_pads_or_keeps_a_list_is_silent(mixed, default):
    """Mixed batches that came through, or would, are no fault."""
    assert list(ShapeVaries().judge(case(mixed, default=default))) == []


def test_batches_of_one_are_a_note_that_says_what_they_hide():
    """PyTorch's own collate could not stack them in a larger batch."""
    (found,) = ShapeVaries().judge(case(batch_size=1))
    assert (found.level, found.message.partition("; ")[2]) == (
        Level.INFO,
        "a batch size of 1 hides it, the collate cannot stack them in a larger batch",
    )


def test_a_batch_sampler_that_keeps_sizes_apart_is_a_note():
    """Equal sizes were put together, so nothing failed."""
    (found,) = ShapeVaries().judge(case(batch_size=None, batch_sampler="Buckets"))
    assert found.level is Level.INFO


def test_a_dataset_that_yields_batches_is_silent():
    """Nothing is stacked where the loader makes no batches."""
    assert list(ShapeVaries().judge(case(batch_size=None))) == []


def test_a_shuffle_that_was_lucky_is_still_an_error():
    """The shuffle of another epoch makes the batch that the collate refused."""
    mix = MixedBatches("shape", "image", 0, 0, refused=True)
    (found,) = ShapeVaries().judge(case((mix,)))
    assert (found.level, found.message.partition("; ")[2]) == (
        Level.ERROR,
        (
            "the collate cannot stack them, though no batch of this run held both; "
            "a shuffled batch of 8 mixes them with a chance of 12%"
        ),
    )


def test_images_that_differ_in_channels_only_are_another_rules():
    """DL216 speaks of channels."""
    shapes = (Tally("3x32x32", 60, (0,)), Tally("1x32x32", 4, (7,)))
    mix = MixedBatches("shape", "image", 0, 1, mended=True)
    judged = case((mix,), shapes=shapes, failures=(FAILURE,))
    assert list(ShapeVaries().judge(judged)) == []
    assert [(one.cause, one.path) for one in troubles(judged)] == [("channels", "image")]


def test_images_that_differ_in_both_have_two_causes():
    """Curing one leaves the other."""
    shapes = (Tally("3x32x32", 60, (0,)), Tally("1x32x30", 4, (7,)))
    mix = MixedBatches("shape", "image", 0, 1, mended=True)
    causes = [one.cause for one in troubles(case((mix,), shapes=shapes, failures=(FAILURE,)))]
    assert causes == ["channels", "shape"]


@pytest.mark.parametrize(
    ("shapes", "path", "dtype", "channels", "sizes"),
    [
        (("64x48x3", "64x48"), "image", "uint8", ["3", "1"], False),
        (("3x32x32", "2x32x32"), "masks", "float32", [], True),
        (("7", "5"), "tokens", "int64", [], True),
        (("", "1"), "score", "float32", [], True),
        (("3x32x32",), "image", "float32", [], False),
    ],
)
def test_channels_are_told_from_sizes(shapes, path, dtype, channels, sizes):
    """Only what may be an image has channels."""
    tallies = [Tally(shape, 9 - place) for place, shape in enumerate(shapes)]
    mix = shape_mix(Case(Evidence()), field(*tallies, path=path, dtype=dtype))
    assert ([one.value for one in mix.channels], mix.sizes) == (channels, sizes)


def test_a_field_that_is_known_to_be_something_else_has_no_channels():
    """Names and values, where they are known, decide over the shape."""
    known = Case(Evidence(), inferred={"image": Inferred("audio", 0.9, "said so")})
    assert shape_mix(known, field(Tally("1x32x32", 9), Tally("2x32x32", 1))).sizes


@pytest.mark.parametrize(
    ("counts", "size", "chance"),
    [((63, 1), 8, 0.125), ((2, 2), 2, 2 / 3), ((5,), 4, 0.0), ((3, 3), 1, 0.0), ((1, 1), 8, 1.0)],
)
def test_the_chance_is_that_of_drawing_without_replacement(counts, size, chance):
    """Small enough to count by hand."""
    tallies = [Tally(str(place), count) for place, count in enumerate(counts)]
    assert chance_of_mix(tallies, size) == pytest.approx(chance)
