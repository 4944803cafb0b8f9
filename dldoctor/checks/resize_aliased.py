"""DL206 resize-aliased."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.wording import counted
from dldoctor.evidence.probe_pictures import ProbedField, Shrunk
from dldoctor.finding import Finding, Level, Unjudged

CURES = {
    "cv2.resize": "Shrink with `interpolation=cv2.INTER_AREA`.",
    "torch.nn.functional.interpolate": "Pass `antialias=True` with `mode='bilinear'` or `'bicubic'`.",
    "PIL.Image.Image.resize": "Resize with `Image.Resampling.BILINEAR`, `BICUBIC` or `LANCZOS`, which antialias.",
}
Seen = tuple[ProbedField, Shrunk]


@dataclass(frozen=True)
class ResizeAliased(Check):
    """Pictures are scaled down without antialiasing.

    ## Why it hurts
    A resize that looks at one or four pixels, however many lie under a pixel of the output, leaves out the rest.
    Fine lines break, textures turn into patterns that are not there, and a model trained with another resize
    loses half a point to several points of accuracy.

    ## What to do
    `cv2.resize(..., interpolation=cv2.INTER_AREA)`, Pillow's `BILINEAR`, `BICUBIC` or `LANCZOS`, and
    `antialias=True` in torch and torchvision. Use one resize for training and evaluation.

    ## When it is wrong
    Items are read with a picture of noise, the hardest there is; photographs lose less. Slopes tell by how much
    it was scaled down, cuts without scaling are not judged, nor is a factor below 1.5. What was sharpened after
    an antialiased resize is known. A plane of one channel beside a picture of three may be a mask or a depth map,
    for which nearest neighbours are right: it is not judged. A model that was trained so is best served so.
    """

    rule = "DL206"
    name = "resize-aliased"
    level = Level.WARNING
    needs = ("pictures",)

    levels: float = 12.0
    """Mean difference from antialiased resizing, on noise over 160 levels; what antialiases stays below 10."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge each field by its items; one item that is right under some seed is right."""
        pictures = case.evidence.pictures
        assert pictures is not None
        if not pictures.fields:
            yield not_applicable(pictures.reason)
            return
        coloured = {one.path for one in pictures.fields if _depth(one) == 3}
        shrunk = [
            (one, one.shrunk)
            for one in pictures.fields
            if one.shrunk is not None and (one.path in coloured or not coloured)
        ]
        if not shrunk:
            yield not_applicable("no picture was seen to be scaled down")
            return
        for path in dict.fromkeys(one.path for one, _ in shrunk):
            own = [one for one in shrunk if one[0].path == path]
            wrong = [one for one in own if one[1].levels > self.levels]
            if wrong:
                yield self._aliased(wrong, len(own))

    def _aliased(self, wrong: Sequence[Seen], items: int) -> Finding:
        field, worst = max(wrong, key=lambda one: one[1].levels)
        where = worst.where or field.opened.where
        by = f" by {worst.call}" if worst.call else ""
        return self.finding(
            f"`{field.path}` is scaled down {worst.factor:.1f} times{by} without antialiasing in {len(wrong)} of"
            f" {counted(items, 'item')}: noise comes out {worst.levels:.0f} of 255 levels off an antialiased resize",
            advice=CURES.get(worst.call or "", "Resize with antialiasing."),
            where=where,
            samples=dict.fromkeys(one.sample for one, _ in wrong),
            field=field.path,
            factor=worst.factor,
            levels=worst.levels,
            call=worst.call,
        )


def _depth(field: ProbedField) -> int:
    return len(field.channels.black) if field.channels is not None else 0
