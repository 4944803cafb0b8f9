"""DL412 mask-interpolated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check
from dldoctor.checks.causes.cards import unread
from dldoctor.checks.wording import at, percent
from dldoctor.evidence.paired_transforms import PairedTransforms
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class MaskInterpolated(Check):
    """A mask of classes is resized or turned with interpolation, and gets classes that are nowhere in it.

    ## Why it hurts
    Between class 0 and class 5 an interpolation writes 1, 2, 3 and 4: each edge gets a seam of other classes.
    The numbers are all valid, so that no range check notices, and the model learns wrong edges.

    ## What to do
    Resize and turn masks with the nearest pixel: `Image.NEAREST`, `InterpolationMode.NEAREST`,
    `cv2.INTER_NEAREST`, or give them as `tv_tensors.Mask`, for which transforms choose it themselves.

    ## When it is wrong
    Masks are read with a card of two of their own values in place of each. A single value between the two is
    not reported, since a border may be drawn on purpose; nor are masks of real numbers, which may be shares,
    and those of many values, as depths are. Masks whose two values are neighbours cannot show it.
    """

    rule: ClassVar[str] = "DL412"
    name: ClassVar[str] = "mask-interpolated"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    fewest: int = 2
    """Readings that must show it."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the masks that were read with cards."""
        alignment = case.evidence.alignment
        seen = [one for one in (alignment.transforms if alignment is not None else ()) if one.whole]
        if unjudged := unread(case, seen, "no sample has a mask of classes that a test card could stand for"):
            yield unjudged
        for one in seen:
            if one.blended >= self.fewest:
                yield self._blended(case, one)

    def _blended(self, case: Case, one: PairedTransforms) -> Finding:
        spec, first = case.evidence.loader, one.blends[0]
        assert spec is not None
        values = ", ".join(str(value) for value in first.between)
        return self.finding(
            f"a mask of the two values {first.low} and {first.high} comes out with {values} between them in"
            f" {percent(first.share)} of the pixels of `{one.target}` ({at(first.sample)}), in {one.blended} of"
            f" {one.whole} readings: it is interpolated",
            advice="Resize and turn masks with the nearest pixel, not with interpolation.",
            where=spec.dataset_ref,
            samples=dict.fromkeys(each.sample for each in one.blends),
            readings=one.whole,
            blended=one.blended,
            target=one.target,
            between=list(first.between),
            share=first.share,
        )
