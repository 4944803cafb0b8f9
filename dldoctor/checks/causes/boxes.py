"""Whether boxes are wrong in themselves, or made for another size of the picture: for DL219 and DL408."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted
from dldoctor.evidence.annotations import FORMATS, AnnotationEvidence, BoxRow, OtherSize

THOUSAND = 1000
CERTAIN = 0.9
"""Share of boxes that must be right in a format nobody declared, before the others are wrong in it."""

FAR = 0.5
"""Share of the longer side that the farthest of boxes made for a size reaches at least."""


@dataclass(frozen=True)
class BoxVerdict:
    """The boxes of the samples, judged in one format."""

    name: str
    """The format."""
    known_by: str
    """``declared``, ``named by the boxes``, or ``values``."""
    boxes: int
    wrong: tuple[BoxRow, ...]
    """Samples with boxes that are wrong in themselves."""
    outside: tuple[BoxRow, ...]
    """Samples whose boxes leave the picture and fit none, where those of others fit another size."""
    resized: tuple[tuple[BoxRow, OtherSize], ...]
    """Samples whose boxes leave the picture, and all fit another size that it has."""
    right: int
    """Boxes that are right in the format, or are explained by another size."""
    certain: bool
    """The format is known, or nearly all boxes are right in it."""
    also: tuple[str, ...] = ()
    """Other formats in which as many are right."""
    better: str | None = None
    """A format other than the declared one, in which all boxes are right."""

    @property
    def wrong_boxes(self) -> int:
        """How many boxes are wrong in themselves."""
        return sum(row.bad(self.name) for row in self.wrong)


def rows_of(case: Case) -> tuple[BoxRow, ...]:
    """Return the boxes that were seen."""
    alignment = case.evidence.alignment
    seen = alignment.parts if alignment is not None else None
    return seen.annotations.boxes if seen is not None and seen.annotations is not None else ()


def judged(case: Case) -> BoxVerdict | None:
    """Return the verdict; None where no sample has boxes beside a picture."""
    rows = rows_of(case)
    if not rows:
        return None
    seen = AnnotationEvidence(0, boxes=rows, declared=case.intent.box_format)
    sums = {one: sum(row.bad(one) for row in rows) for one in FORMATS}
    best, (name, known_by) = seen.fitting_format, seen.box_format
    boxes = sum(row.boxes for row in rows)
    resized = tuple((row, other) for row in rows if (other := _other_size(row, name)) is not None)
    if _in_thousandths(rows, resized) or not _made_for(rows, name, resized):
        resized = ()
    explained = {id(row) for row, _ in resized}
    right = boxes - sum(row.bad(name) for row in rows if id(row) not in explained)
    wrong = [row for row in rows if row.bad(name) and id(row) not in explained]
    scaled = any(other.name != "shown" for _, other in resized)
    # One fault, not two: boxes that were scaled wrongly leave any size in some samples.
    outside = tuple(row for row in wrong if scaled and not row.flat.get(name))
    return BoxVerdict(
        name=name,
        known_by=known_by,
        boxes=boxes,
        wrong=tuple(row for row in wrong if row not in outside),
        outside=outside,
        resized=resized,
        right=right,
        certain=known_by != "values" or right >= CERTAIN * boxes,
        also=tuple(one for one in FORMATS if one != name and sums[one] == sums[name]),
        better=best if best != name and not sums[best] and sums[name] else None,
    )


def _in_thousandths(rows: Sequence[BoxRow], resized: Sequence[tuple[BoxRow, OtherSize]]) -> bool:
    """Whether coordinates may be thousandths of the side, as models of documents take them.

    They fit any large picture then, and say nothing of its size.
    """
    most = max(row.reach for row in rows)
    return most <= THOUSAND and all(max(one.width, one.height) > THOUSAND for _, one in resized)


def thousandths(case: Case, verdict: BoxVerdict) -> bool:
    """Whether corners are thousandths of the sides: the farthest of all is exactly 1000, far outside of pictures.

    Only where nothing says what the numbers are, and no size of a picture explains them.
    """
    rows = rows_of(case)
    undeclared = verdict.known_by == "values" and not verdict.certain and not case.intent.boxes_normalised
    smaller = all(max(row.width, row.height) < THOUSAND for row in rows)
    return undeclared and smaller and not verdict.resized and max(row.reach for row in rows) == THOUSAND


def _made_for(rows: Sequence[BoxRow], name: str, resized: Sequence[tuple[BoxRow, OtherSize]]) -> bool:
    """Whether boxes that fit other sizes do so more than by chance.

    A few of many wrong boxes always fit a larger size, and so do boxes that leave the picture by little:
    boxes that were made for that size are most of those that are wrong, and some reach into its far half.
    """
    wrong = sum(row.bad(name) > 0 for row in rows)
    reach = max((row.reach / max(other.width, other.height) for row, other in resized), default=0.0)
    return 2 * len(resized) > wrong and reach >= FAR


def _other_size(row: BoxRow, name: str) -> OtherSize | None:
    """Return another size of the picture that all boxes of a sample fit, where they leave its own."""
    if row.flat.get(name) or not row.outside.get(name):
        return None
    return next((one for one in row.others if not one.bad.get(name, 0)), None)


def guessed(verdict: BoxVerdict) -> str:
    """Return what a clean verdict rests on; empty where the format is known."""
    if verdict.known_by != "values":
        return ""
    also = f" (as {listed(verdict.also)} too)" if verdict.also else ""
    return (
        f"the {counted(verdict.boxes, 'box', 'boxes')} were read as {verdict.name}, the format in which most are right"
        f"{also}; `--box-format` declares it"
    )


def explained_by_orientation(verdict: BoxVerdict) -> Sequence[BoxRow]:
    """Return the samples whose boxes fit the picture as it is to be shown."""
    return [row for row, other in verdict.resized if other.name == "shown"]
