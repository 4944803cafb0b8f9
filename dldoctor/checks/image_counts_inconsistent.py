"""DL407 image-counts-inconsistent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.placeholders import placeholders_of, where_made
from dldoctor.checks.wording import counted
from dldoctor.evidence.placeholders import CountField
from dldoctor.finding import Finding, Level, Unjudged

_WHAT = {"counts": "images", "grid": "patches", "sizes": "images", "flags": "images"}


@dataclass(frozen=True)
class ImageCountsInconsistent(Check):
    """A field states another number of images or patches than the pixels hold.

    ## Why it hurts
    Counts and grids say which rows of the pixels make which image, and which image belongs to which row. If they
    are wrong, features are cut at the wrong places, or the model stops.

    ## What to do
    Make the counts (or grids) from the images that go into the batch, after everything that filters them.

    ## When it is wrong
    A field that counts something else. One that was never equal to what there is, in no batch, is `info`, unless
    it was declared or the placeholders agree with the pixels.
    """

    rule: ClassVar[str] = "DL407"
    name: ClassVar[str] = "image-counts-inconsistent"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("placeholders",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report each field that is wrong in some batch."""
        seen = placeholders_of(case)
        if not seen.counts:
            yield not_applicable("no field of the batches states how many images there are")
            return
        for field in seen.counts:
            if field.wrong:
                yield self._wrong(case, field)

    def _wrong(self, case: Case, field: CountField) -> Finding:
        first = field.wrong[0]
        what = _WHAT[field.kind]
        place = f"batch {first.batch}" if first.row < 0 else f"row {first.row} of batch {first.batch}"
        states = "add up to" if field.kind in ("counts", "grid") and first.row < 0 else "states"
        number = len(field.wrong)
        reading = "" if field.backed else "; no batch was ever equal, so the field may count something else"
        there = f"`{field.against}` has" if first.row < 0 else "its placeholders are for"
        said = (
            f"the numbers in `{field.path}` {states}" if states == "add up to" else f"`{field.path}` states"
        )
        return self.finding(
            f"in {place} {said} {counted(first.stated, what[:-1] if what == 'images' else 'patch', what)} and "
            f"{there} {first.held} ({counted(number, 'batch', 'batches')} of {field.batches} differ{'s' if number == 1 else ''}){reading}",
            advice=f"Make `{field.path}` from the images that go into the batch."
            if field.backed
            else f"If `{field.path}` counts the images of a row, make it from those in the batch; if not, name the field of "
            "the counts with --field image_counts=PATH.",
            level=self.level if field.backed else Level.INFO,
            where=where_made(case),
            samples=first.samples,
            field=field.path,
            against=field.against,
            kind=field.kind,
            batches=field.batches,
            differing=[
                {"batch": one.batch, "row": one.row, "stated": one.stated, "held": one.held}
                for one in field.wrong
            ],
        )
