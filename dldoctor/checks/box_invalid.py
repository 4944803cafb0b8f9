"""DL219 box-invalid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.boxes import BoxVerdict, guessed, judged, rows_of, thousandths
from dldoctor.checks.wording import at, counted, percent
from dldoctor.finding import Finding, Level, Remark, Unjudged


@dataclass(frozen=True)
class BoxInvalid(Check):
    """A box has no area, leaves its picture, or is not of the declared format.

    ## Why it hurts
    A box without area divides by zero in the loss or is never matched. One that leaves the picture, or whose
    four numbers are read as another format, teaches places at which nothing is.

    ## What to do
    Clip boxes after each crop, drop those without area, and convert them once, where they are read.

    ## When it is wrong
    Boxes may leave the picture by one pixel or 1%. Rows of zeros or of -1 are filler. Where the format is
    not declared, the one is taken in which most boxes are right; if less than 90% are, the finding is a
    note that asks for `--box-format`. Where nothing is declared, boxes in pixels that can be no corners are a note
    with both readings. Undeclared boxes that reach exactly 1000 in smaller pictures are read as thousandths of
    the sides, as models of documents take them. Boxes that stay within the picture are right in themselves,
    wherever they lie: boxes that were not moved by the padding of a letterbox, or `xywh` of which all would do as
    `xyxy`, are not found by their numbers.
    """

    rule: ClassVar[str] = "DL219"
    name: ClassVar[str] = "box-invalid"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged | Remark]:
        """Judge the boxes that no other size of their picture explains."""
        verdict = judged(case)
        if verdict is None:
            yield not_applicable("no sample has boxes beside a picture")
            return
        if thousandths(case, verdict):
            yield self._thousandths(case, verdict)
        elif verdict.wrong:
            yield self._wrong(case, verdict)
        elif not verdict.resized and (reason := guessed(verdict)):
            corners = self._no_corners(case, verdict)
            yield corners if corners is not None else Remark(reason)
        yield from self._declared(case)

    def _wrong(self, case: Case, verdict: BoxVerdict) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        row = next((one for one in verdict.wrong if one.flat.get(verdict.name)), verdict.wrong[0])
        flat = sum(one.flat.get(verdict.name, 0) for one in verdict.wrong)
        outside = sum(one.outside.get(verdict.name, 0) for one in verdict.wrong)
        count = flat + outside
        verb = "is" if count == 1 else "are"
        kinds = [f"{flat} {'has' if flat == 1 else 'have'} no area"] if flat else []
        kinds += [f"{outside} {'leaves' if outside == 1 else 'leave'} the picture"] if outside else []
        box = ", ".join(f"{value:g}" for value in row.example.get(verdict.name, ()))
        side = "1 x 1 (shares)" if row.normalised else f"{row.width} x {row.height}"
        share = percent(verdict.right / verdict.boxes)
        doubt = "" if verdict.certain else f"; {share} are right so, and more in no other format"
        better = f"; all are right as {verdict.better}" if verdict.better else ""
        return self.finding(
            f"{counted(count, 'box', 'boxes')} of {verdict.boxes} ({percent(count / verdict.boxes)}), read as"
            f" {verdict.name} ({verdict.known_by}), {verb} wrong: {' and '.join(kinds)}; `{row.path}` of"
            f" {at(row.sample)} has [{box}] in {side}{better}{doubt}",
            advice=f"Convert the boxes from {verdict.better}, or declare it with `--box-format {verdict.better}`."
            if verdict.better
            else "Clip boxes to the picture and drop those without area."
            if verdict.certain
            else "Declare what the four numbers are with `--box-format`.",
            level=self.level if verdict.certain else Level.INFO,
            where=spec.dataset_ref,
            samples=[one.sample for one in verdict.wrong],
            boxes=verdict.boxes,
            flat=flat,
            outside=outside,
            format=verdict.name,
            format_known_by=verdict.known_by,
        )

    def _thousandths(self, case: Case, verdict: BoxVerdict) -> Finding | Remark:
        """Judge boxes that are shares of a page in thousandths: only their area says anything."""
        rows, spec = rows_of(case), case.evidence.loader
        row = max(rows, key=lambda one: one.reach)
        read = f"corners in thousandths of the sides: they reach exactly 1000, in pictures of {row.width} x {row.height}"
        flat = sum(one.flat.get("xyxy", 0) for one in rows)
        if not flat:
            return Remark(
                f"the {counted(verdict.boxes, 'box', 'boxes')} of `{row.path}` were read as {read}; `--box-format` declares"
                " another format"
            )
        assert spec is not None
        return self.finding(
            f"{counted(flat, 'box', 'boxes')} of {verdict.boxes} ({percent(flat / verdict.boxes)}) "
            f"{'has' if flat == 1 else 'have'} no area, read as {read}; boxes that were divided by too small a size"
            " and clipped at 1000 are so",
            advice="Divide by the size of the page that the boxes were measured on, or declare `--box-format`.",
            level=Level.INFO,
            where=spec.dataset_ref,
            samples=[one.sample for one in rows if one.flat.get("xyxy")],
            boxes=verdict.boxes,
            flat=flat,
            format="xyxy",
            format_known_by=verdict.known_by,
        )

    def _no_corners(self, case: Case, verdict: BoxVerdict) -> Finding | None:
        """Tell of boxes in pixels that can only be of another format than corners, which most models take."""
        rows, spec = rows_of(case), case.evidence.loader
        flat = sum(row.flat.get("xyxy", 0) for row in rows)
        if verdict.name == "xyxy" or not flat or any(row.normalised for row in rows):
            return None
        assert spec is not None
        row = next(one for one in rows if one.flat.get("xyxy"))
        box = ", ".join(f"{value:g}" for value in row.example.get("xyxy", ()))
        return self.finding(
            f"the {counted(verdict.boxes, 'box', 'boxes')} are right as {verdict.name}; read as corners (xyxy), {flat}"
            f" would have no area: `{row.path}` of {at(row.sample)} has [{box}]; wrong for a model that takes corners"
            f" (those of torchvision do), right for one that takes {verdict.name}",
            advice=f"Convert the boxes to xyxy, or declare `--box-format {verdict.name}`.",
            level=Level.INFO,
            where=spec.dataset_ref,
            samples=[one.sample for one in rows if one.flat.get("xyxy")],
            boxes=verdict.boxes,
            flat=flat,
            format=verdict.name,
            format_known_by=verdict.known_by,
        )

    def _declared(self, case: Case) -> Iterator[Finding]:
        rows = rows_of(case)
        if not case.intent.boxes_normalised or all(row.normalised for row in rows):
            return
        wrong = [row for row in rows if not row.normalised]
        yield self.finding(
            f"boxes are declared to be shares of the sides, and {counted(len(wrong), 'sample')} of {len(rows)}"
            f" have coordinates above 2",
            advice="Divide the boxes by width and height of the picture, or do not declare `--boxes-normalised`.",
            samples=[row.sample for row in wrong],
            samples_with_pixels=len(wrong),
        )
