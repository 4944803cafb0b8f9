"""DL408 annotation-size-mismatch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.boxes import BoxVerdict, guessed, judged
from dldoctor.checks.wording import at, counted
from dldoctor.evidence.annotations import AnnotationEvidence, MaskRow
from dldoctor.finding import Finding, Level, Remark, Unjudged


@dataclass(frozen=True)
class AnnotationSizeMismatch(Check):
    """Boxes, masks or keypoints fit another size than that of the picture.

    ## Why it hurts
    The picture was resized or turned and the annotations were not, or the other way round. Every box lies
    at a wrong place by the same factor; the loss falls, and the model never localises.

    ## What to do
    Give picture and annotations to one transform together, and obey the orientation of the file on reading.

    ## When it is wrong
    Boxes are reported where they leave the picture and all fit the size of its file, or one that the sample
    states. A mask that is smaller by the same whole factor in all samples is a note: some models take
    targets at a quarter of the size.
    """

    rule: ClassVar[str] = "DL408"
    name: ClassVar[str] = "annotation-size-mismatch"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged | Remark]:
        """Judge boxes by the other sizes of their picture, masks and keypoints by its own."""
        alignment = case.evidence.alignment
        seen = alignment.parts.annotations if alignment is not None and alignment.parts is not None else None
        if seen is None or not (seen.boxes or seen.with_masks):
            yield not_applicable("no sample has boxes, masks or keypoints beside a picture")
            return
        verdict = judged(case)
        if verdict is not None and verdict.resized and not _by_orientation(case, verdict):
            yield self._boxes(case, verdict)
        if seen.masks:
            yield self._masks(case, seen)
        if verdict is not None and not (verdict.wrong or verdict.resized) and (reason := guessed(verdict)):
            yield Remark(reason)

    def _boxes(self, case: Case, verdict: BoxVerdict) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        row, other = verdict.resized[0]
        where = {"file": "of its file", "shown": "that its file is to be shown at"}.get(
            other.name, f"that `{other.name}` states"
        )
        more = ""
        if verdict.outside:
            more = f"; those of {counted(len(verdict.outside), 'other sample')} leave the picture and fit no size"
        return self.finding(
            f"in {counted(len(verdict.resized), 'sample')} boxes leave the picture and lie within another size of"
            f" it: `{row.path}` of {at(row.sample)}, read as {verdict.name} ({verdict.known_by}), leaves"
            f" {row.width} x {row.height} and lies within {other.width} x {other.height}, the size {where}{more}",
            advice="Transform boxes together with the picture, x by the factor of its width and y by that of its"
            " height.",
            where=spec.dataset_ref,
            samples=[one.sample for one, _ in verdict.resized],
            count=len(verdict.resized),
            outside=len(verdict.outside),
            annotated=[other.width, other.height],
            read=[row.width, row.height],
            format=verdict.name,
            format_known_by=verdict.known_by,
        )

    def _masks(self, case: Case, seen: AnnotationEvidence) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        row = seen.masks[0]
        factor = _whole_factor(seen)
        told = (
            f"`{row.path}` of {at(row.sample)} has {row.own_width} x {row.own_height}, the picture {row.width} x"
            f" {row.height}"
            if row.kind == "mask"
            else f"`{row.path}` of {at(row.sample)} reaches ({row.own_width}, {row.own_height}) in a picture of"
            f" {row.width} x {row.height}"
        )
        if factor:
            told += f"; all are smaller by {factor}, which some models want"
        return self.finding(
            f"{row.kind if row.kind == 'keypoints' else 'masks'} of {counted(len(seen.masks), 'sample')} of"
            f" {seen.with_masks} are not of the picture's size: {told}",
            advice="Transform masks and keypoints together with the picture."
            if not factor
            else "If the model takes targets of the picture's own size, resize them alike.",
            level=Level.INFO if factor else Level.ERROR,
            where=spec.dataset_ref,
            samples=[one.sample for one in seen.masks],
            count=len(seen.masks),
            annotated=[row.own_width, row.own_height],
            read=[row.width, row.height],
        )


def _whole_factor(seen: AnnotationEvidence) -> int | None:
    """Return the factor by which all masks are smaller, where it is one whole number."""
    if len(seen.masks) < seen.with_masks:
        return None
    factors = {_factor(one) for one in seen.masks}
    return factors.pop() if len(factors) == 1 else None


def _factor(row: MaskRow) -> int | None:
    if row.kind != "mask" or not row.own_width or not row.own_height:
        return None
    wide, tall = row.width / row.own_width, row.height / row.own_height
    return int(wide) if wide == tall == int(wide) and wide > 1 else None


def _by_orientation(case: Case, verdict: BoxVerdict) -> bool:
    """Whether orientations that were not obeyed explain it, of which DL205 tells."""
    alignment = case.evidence.alignment
    seen = alignment.parts.orientation if alignment is not None and alignment.parts is not None else None
    ignored = (
        {str(one.sample) for one in seen.turned if one.read_as == "stored"} if seen is not None else set()
    )
    return all(other.name == "shown" and str(row.sample) in ignored for row, other in verdict.resized)
