"""DL204, DL206 and DL207 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.channel_order import ChannelOrder
from dldoctor.checks.integer_overflow import IntegerOverflow
from dldoctor.checks.resize_aliased import ResizeAliased
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.probe_pictures import (
    Channels,
    Opened,
    ProbedField,
    ProbePicturesEvidence,
    SeenOrder,
    Shrunk,
    Wrapped,
)
from dldoctor.finding import Finding, Level, SourceRef, Unjudged
from dldoctor.intent import Intent

Levels = tuple[tuple[float, ...], tuple[float, ...]]
SPEC = LoaderSpec("map", "DataLoader", "Views", "loader", dataset_length=100, batch_size=4)
CV2 = Opened("cv2.imread", ".jpg", "bgr", SourceRef("data.py", 9, "read"))
PILLOW = Opened("PIL.Image.open", ".png", "rgb", SourceRef("data.py", 4, "read"))
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
NORMAL: Levels = (tuple(-m / s for m, s in zip(MEAN, SPREAD, strict=True)), tuple(1 / s for s in SPREAD))
UNIT: Levels = ((0.0,) * 3, (1.0,) * 3)


def judge(check: Check, *fields: ProbedField, intent: Intent = Intent(), reason: str = "") -> list[object]:
    pictures = ProbePicturesEvidence(fields, 20, reason)
    return list(check.judge(Case(Evidence(loader=SPEC, pictures=pictures), intent)))


def field(order: SeenOrder, levels: Levels = UNIT, opened: Opened = CV2, sample: int = 0) -> ProbedField:
    return ProbedField("image", sample, opened, Channels(order, *levels))


def told(check: Check, *fields: ProbedField, intent: Intent = Intent()) -> tuple[Level, str]:
    (found,) = judge(check, *fields, intent=intent)
    assert isinstance(found, Finding)
    return found.level, found.message


def test_rgb_is_silent_and_bgr_as_it_was_read_is_a_note() -> None:
    """Nothing says that the model wants RGB."""
    assert judge(ChannelOrder(), field("rgb", NORMAL)) == []
    assert told(ChannelOrder(), field("bgr")) == (
        Level.INFO,
        (
            "`image` is BGR, as cv2.imread gives it: right for a model that is trained on it, and wrong for weights"
            " trained on RGB"
        ),
    )


def test_constants_of_the_other_order_are_an_error() -> None:
    """Both ways, whatever the brightness is; of the same order they are right."""
    assert told(ChannelOrder(), field("bgr", NORMAL)) == (
        Level.ERROR,
        "`image` is BGR, and is normalised with the ImageNet mean in RGB order (0.485, 0.456, 0.406)",
    )
    turned = NORMAL[0][::-1], NORMAL[1][::-1]
    assert judge(ChannelOrder(), field("bgr", turned)) == []
    assert told(ChannelOrder(), field("rgb", turned))[0] is Level.ERROR
    dimmed = (NORMAL[0], tuple(0.8 * one for one in NORMAL[1]))
    assert told(ChannelOrder(), field("bgr", dimmed))[0] is Level.ERROR
    assert told(ChannelOrder(), field("bgr", ((-1.0,) * 3, (2.0,) * 3)))[0] is Level.INFO


def test_two_orders_are_an_error_with_both_ways_of_reading() -> None:
    """And with the items of the wrong one."""
    (found,) = judge(ChannelOrder(), field("bgr", sample=3), field("rgb", opened=PILLOW, sample=4))
    assert isinstance(found, Finding)
    assert (found.level, found.message, found.samples, found.where) == (
        Level.ERROR,
        (
            "the channels of `image` come in two orders: RGB in 1 item read by PIL.Image.open (.png) and BGR in 1 item"
            " read by cv2.imread (.jpg)"
        ),
        (3,),
        CV2.where,
    )


def test_what_was_exchanged_without_need() -> None:
    """Bytes may be for a model that normalises BGR by itself; that is a warning."""
    assert told(ChannelOrder(), field("bgr", opened=PILLOW)) == (
        Level.ERROR,
        "PIL.Image.open gives RGB, and `image` is BGR: red and blue were exchanged, and needed not be",
    )
    whole = ProbedField("image", 0, PILLOW, Channels("bgr", *UNIT, whole_numbers=True))
    assert told(ChannelOrder(), whole)[0] is Level.WARNING
    twice = ProbedField("image", 0, CV2, Channels("bgr", *UNIT, swaps=2))
    assert told(ChannelOrder(), twice) == (
        Level.ERROR,
        "cv2.imread gives BGR, and `image` is BGR again after 2 exchanges of red and blue",
    )


def test_a_declared_order_is_what_counts() -> None:
    """Whatever it is."""
    bgr = Intent(channel_order="bgr")
    assert judge(ChannelOrder(), field("bgr", NORMAL), intent=bgr) == []
    assert told(ChannelOrder(), field("rgb"), intent=bgr) == (
        Level.ERROR,
        "`image` is RGB, and BGR is declared",
    )
    assert told(ChannelOrder(), field("bgr"), intent=Intent(channel_order="rgb"))[0] is Level.ERROR


def test_order_that_cannot_be_told() -> None:
    """Grey, exchanged at random, and pictures that no decoder gave."""
    assert judge(ChannelOrder(), field("grey")) == [not_applicable("the pictures are grey")]
    (found,) = judge(ChannelOrder(), field("varies"))
    assert isinstance(found, Unjudged)
    assert found.status == "insufficient-evidence"
    for check in (ChannelOrder(), ResizeAliased(), IntegerOverflow()):
        assert judge(check, reason="no library is loaded") == [not_applicable("no library is loaded")]


def test_aliasing_from_the_limit_on() -> None:
    """Items that are right are counted, and what was called gives the advice."""
    right, wrong = field("rgb"), field("rgb", sample=1)
    called = SourceRef("data.py", 12, "small")
    right = replace(right, shrunk=Shrunk(3.0, 12.0, 2))
    wrong = replace(wrong, shrunk=Shrunk(4.0, 24.6, 2, called, "cv2.resize"))
    assert judge(ResizeAliased(), right) == []
    (found,) = judge(ResizeAliased(), right, wrong)
    assert isinstance(found, Finding)
    assert (found.level, found.message, found.samples, found.where) == (
        Level.WARNING,
        (
            "`image` is scaled down 4.0 times by cv2.resize without antialiasing in 1 of 2 items: noise comes out 25 of"
            " 255 levels off an antialiased resize"
        ),
        (1,),
        called,
    )


def test_a_plane_beside_a_picture_of_colours_is_not_judged_for_aliasing() -> None:
    """Depth and masks are rightly resized by nearest neighbours; a grey picture alone is a picture."""
    depth = ProbedField("depth", 0, CV2, Channels("grey", (0.0,), (1.0,)), Shrunk(4.0, 40.0, 2))
    assert judge(ResizeAliased(), field("rgb"), depth) == [
        not_applicable("no picture was seen to be scaled down")
    ]
    assert told(ResizeAliased(), depth)[0] is Level.WARNING


def test_values_that_wrap() -> None:
    """Twice seen is proven; once is not."""
    seen = replace(field("rgb"), wrapped=Wrapped(8, 3, 0.12, 253, 1))
    assert told(IntegerOverflow(), seen) == (
        Level.ERROR,
        (
            "values of `image` pass the end of 8 bits and go on at the other in 3 of 8 readings of a smooth picture:"
            " 12% of its pixels jumped, 253 lies beside 1"
        ),
    )
    once = replace(field("rgb"), wrapped=Wrapped(8, 1, 0.12, 253, 1))
    assert judge(IntegerOverflow(), once) == [
        insufficient("only one reading shows values of `image` that wrap")
    ]
    assert judge(IntegerOverflow(), replace(field("rgb"), wrapped=Wrapped(8, 0))) == []
