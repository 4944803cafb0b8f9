"""DL207 integer-overflow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.probe_pictures import ProbedField, Wrapped
from dldoctor.finding import Finding, Level, Unjudged

Seen = tuple[ProbedField, Wrapped]


@dataclass(frozen=True)
class IntegerOverflow(Check):
    """Arithmetic on 8-bit pixels passes 255 and goes on at 0.

    ## Why it hurts
    `image + 40` on bytes turns 230 into 14: the brightest parts become black, with hard edges that no
    photograph has. NumPy and torch say nothing.

    ## What to do
    Convert first, and cut off before converting back: `np.clip(image.astype(np.int16) + 40, 0, 255)
    .astype(np.uint8)`. `cv2.add` and Pillow's `ImageEnhance` cut off by themselves.

    ## When it is wrong
    Items are read with a smooth picture under several seeds. Only jumps at which the values go on at the other
    end of 8 bits, on both sides with the slope that they had, are counted: erased, pasted and padded parts, solarised,
    posterised and binary pictures jump otherwise. What folds values on purpose (the last bits of a picture) looks
    the same.
    """

    rule = "DL207"
    name = "integer-overflow"
    level = Level.ERROR
    needs = ("loader", "pictures")

    fewest: int = 2
    """Readings that must show it."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge each field by all of its readings."""
        pictures = case.evidence.pictures
        assert pictures is not None
        seen = [(one, one.wrapped) for one in pictures.fields if one.wrapped is not None]
        if not seen:
            yield not_applicable(pictures.reason or "no smooth picture came through as a picture")
            return
        for path in dict.fromkeys(one.path for one, _ in seen):
            own = [one for one in seen if one[0].path == path]
            times = sum(wrapped.wrapped for _, wrapped in own)
            if times >= self.fewest:
                yield self._overflow(case, own)
            elif times:
                yield insufficient(f"only one reading shows values of `{path}` that wrap")

    def _overflow(self, case: Case, seen: Sequence[Seen]) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        wrong = [one for one in seen if one[1].wrapped]
        field, worst = max(wrong, key=lambda one: one[1].share)
        times, readings = (sum(getattr(one, name) for _, one in seen) for name in ("wrapped", "readings"))
        return self.finding(
            f"values of `{field.path}` pass the end of 8 bits and go on at the other in {times} of"
            f" {counted(readings, 'reading')} of a smooth picture: {percent(worst.share)} of its pixels jumped,"
            f" {worst.before} lies beside {worst.after}",
            advice="Compute in `int16` or float, and clip to 0 .. 255 before you convert back.",
            where=spec.dataset_ref,
            samples=dict.fromkeys(one.sample for one, _ in wrong),
            field=field.path,
            share=worst.share,
            before=worst.before,
            after=worst.after,
        )
