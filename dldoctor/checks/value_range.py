"""DL203 value-range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.wording import percent
from dldoctor.evidence.samples import PixelRange, RangeKind
from dldoctor.finding import Finding, Level, Unjudged

SCALES: dict[RangeKind, str] = {
    "unit": "0 .. 1",
    "bytes": "0 .. 255",
    "signed": "around 0",
    "twice": "0 .. 1/255",
    "twice-normalised": "0 .. 1/255, normalised",
    "unscaled": "around 0 and beyond 255",
}


TWICE = ("twice", "twice-normalised")


@dataclass(frozen=True)
class ValueRange(Check):
    """Pixels that were scaled twice, never, or in some samples only.

    ## Why it hurts
    A model that was trained on values from 0 to 1 sees a white square in a picture from 0 to 255, and a
    black one in a picture that was divided by 255 twice. The loss goes down all the same, on the rest.

    ## What to do
    Scale in one place. `ToTensor` and `to_dtype(..., scale=True)` divide bytes by 255 and leave real
    numbers as they are: an array that became float before is not scaled. Normalise after scaling.

    ## When it is wrong
    Pictures of three colours in real numbers are judged; depth, medical and other pictures are not. All
    samples from 0 to 255 are right for a model that scales by itself: that is `info`.
    """

    rule = "DL203"
    name = "value-range"
    level = Level.ERROR
    needs = ("loader", "samples")

    few: float = 0.01
    """Share of a range below which its pictures may be no more than very dark ones."""

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
                f"{one.low:.3g} .. {one.high:.3g} in {one.samples.count} ({percent(one.samples.count / total)})"
                for one in known
            )
            what = f"the values of `{rare.path}` lie on {len(known)} scales: {parts} of {total} samples"
            yield self._finding(case, rare, what, "Scale all pictures in one place, whatever they came as.")
        elif known[0].kind in TWICE:
            then = "" if known[0].kind == "twice" else ", then normalised"
            what = f"`{known[0].path}` lies in {known[0].low:.3g} .. {known[0].high:.3g} in {known[0].samples.count} of {total} samples: divided by 255 twice{then}"
            yield self._finding(case, known[0], what, "Divide by 255 once.")
        elif known[0].kind == "unscaled":
            what = f"`{known[0].path}` lies in {known[0].low:.3g} .. {known[0].high:.3g}: normalised without being divided by 255 before"
            yield self._finding(case, known[0], what, "Divide by 255 before you normalise.")
        elif known[0].kind == "bytes":
            what = (
                f"`{known[0].path}` holds real numbers in 0 .. 255: right for a model that scales by itself"
            )
            yield self._finding(case, known[0], what, "Divide by 255, unless the model does.", Level.INFO)

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
