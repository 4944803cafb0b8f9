"""DL203 value-range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.wording import figure, percent
from dldoctor.evidence.samples import PixelRange, RangeKind
from dldoctor.finding import Finding, Level, Unjudged

SCALES: dict[RangeKind, str] = {
    "unit": "0 .. 1",
    "bytes": "0 .. 255",
    "signed": "around 0",
    "twice": "0 .. 1/255",
    "twice-normalised": "0 .. 1/255, normalised",
    "unscaled": "around 0 and beyond 255",
    "normalised": "around 0, between the ends of a usual normalisation",
    "normalised-twice": "around 0, between the ends of two normalisations",
}


TWICE = ("twice", "twice-normalised")


@dataclass(frozen=True)
class ValueRange(Check):
    """Pixels that were scaled or normalised twice, never, or in some samples only.

    ## Why it hurts
    A model that was trained on values from 0 to 1 sees a white square in a picture from 0 to 255, and a
    black one in a picture that was divided by 255 twice. The loss goes down all the same, on the rest.

    ## What to do
    Scale in one place. `ToTensor` and `to_dtype(..., scale=True)` divide bytes by 255 and leave real
    numbers as they are: an array that became float before is not scaled. Normalise after scaling.

    ## When it is wrong
    Pictures of three colours in real numbers are judged; depth, medical and other pictures are not. All
    samples from 0 to 255 are right for a model that scales by itself: that is `info`. Normalisations are told by the
    ends that black and white come to, for ImageNet's numbers, CLIP's, and 0.5 with 0.5; others are not known.
    """

    rule = "DL203"
    name = "value-range"
    level = Level.ERROR
    needs = ("loader", "samples")

    few: float = 0.01
    """Share of a range below which its pictures may be no more than very dark ones."""

    narrow: float = 6.0
    """Distance of black and white that one normalisation with other numbers may have as well."""

    bright: float = 100.0
    """What the brightest picture in bytes reaches at least."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the ranges of the samples with one another."""
        samples = case.evidence.samples
        assert samples is not None
        if not samples.ranges:
            yield not_applicable("no field holds pictures of three colours in real numbers")
            return
        for path in dict.fromkeys(one.path for one in samples.ranges):
            yield from self._field(case, [one for one in samples.ranges if one.path == path])

    def _field(self, case: Case, ranges: list[PixelRange]) -> Iterator[Finding]:
        total = sum(one.samples.count for one in ranges)
        known = [one for one in ranges if one.kind not in TWICE or one.samples.count > self.few * total]
        large = any(one.kind in ("bytes", "unscaled") and one.high > self.bright for one in known)
        if large and len(known) > 1:
            rare = min(known, key=lambda one: one.samples.count)
            parts = " and ".join(
                f"{figure(one.low)} .. {figure(one.high)} in {one.samples.count} ({percent(one.samples.count / total)})"
                for one in known
            )
            what = f"the values of `{rare.path}` lie on {len(known)} scales: {parts} of {total} samples"
            yield self._finding(case, rare, what, "Scale all pictures in one place, whatever they came as.")
        elif {"unit", "normalised"} <= {one.kind for one in known}:
            yield self._in_part(case, known, total)
        elif twice := [one for one in known if one.kind == "normalised-twice"]:
            yield self._normalised_twice(case, twice[0])
        elif known[0].kind in TWICE:
            then = "" if known[0].kind == "twice" else ", then normalised"
            what = f"`{known[0].path}` lies in {figure(known[0].low)} .. {figure(known[0].high)} in {known[0].samples.count} of {total} samples: divided by 255 twice{then}"
            yield self._finding(case, known[0], what, "Divide by 255 once.")
        elif known[0].kind == "unscaled":
            what = f"`{known[0].path}` lies in {figure(known[0].low)} .. {figure(known[0].high)}: normalised without being divided by 255 before"
            yield self._finding(case, known[0], what, "Divide by 255 before you normalise.")
        elif known[0].kind == "bytes":
            what = (
                f"`{known[0].path}` holds real numbers in 0 .. 255: right for a model that scales by itself"
            )
            yield self._finding(case, known[0], what, "Divide by 255, unless the model does.", Level.INFO)

    def _in_part(self, case: Case, known: list[PixelRange], total: int) -> Finding:
        unit, normalised = (next(one for one in known if one.kind == kind) for kind in ("unit", "normalised"))
        rare = min(unit, normalised, key=lambda one: one.samples.count)
        what = (
            f"the values of `{rare.path}` lie on 2 scales: {figure(unit.low)} .. {figure(unit.high)} in "
            f"{unit.samples.count} and {figure(normalised.low)} .. {figure(normalised.high)}, the ends of a usual "
            f"normalisation, in {normalised.samples.count} of {total} samples"
        )
        return self._finding(case, rare, what, "Normalise all pictures in one place.", Level.WARNING)

    def _normalised_twice(self, case: Case, one: PixelRange) -> Finding:
        plain = one.high - one.low < self.narrow
        what = (
            f"`{one.path}` lies in {figure(one.low)} .. {figure(one.high)}: just the ends of two usual normalisations, one after the other"
            + (", or of one with a mean and a deviation of your own" if plain else "")
        )
        return self._finding(case, one, what, "Normalise once.", Level.INFO if plain else Level.ERROR)

    def _finding(
        self, case: Case, one: PixelRange, what: str, advice: str, level: Level = Level.ERROR
    ) -> Finding:
        assert case.evidence.loader is not None
        return self.finding(
            what,
            advice=advice,
            level=level,
            where=case.evidence.loader.dataset_ref,
            samples=one.samples.samples,
            field=one.path,
            scale=SCALES[one.kind],
            low=one.low,
            high=one.high,
        )
