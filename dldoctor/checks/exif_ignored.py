"""DL205 exif-ignored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.boxes import explained_by_orientation, judged
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import at, counted
from dldoctor.evidence.file_pairs import OrientationEvidence, TurnedPicture
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ExifIgnored(Check):
    """Pictures carry an orientation, and are read as they are stored.

    ## Why it hurts
    Cameras store a picture as the sensor lay and note how it is to be turned. Viewers and annotation tools
    obey the note. A reader that does not gives pictures that lie on their side, and boxes that belong to
    the turned ones.

    ## What to do
    Call `PIL.ImageOps.exif_transpose(image)` right after opening, or set `cv2.IMREAD_COLOR` without
    `IMREAD_IGNORE_ORIENTATION`; torchvision takes `apply_exif_orientation=True`.

    ## When it is wrong
    Whether the orientation was obeyed is told by the size of the picture in the sample, else by comparing it
    with the file in both positions. A picture that cannot be told by either is counted and not reported.
    """

    rule: ClassVar[str] = "DL205"
    name: ClassVar[str] = "exif-ignored"
    level: ClassVar[Level] = Level.WARNING
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("loader", "alignment")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the pictures whose orientation was not obeyed."""
        alignment = case.evidence.alignment
        seen = alignment.parts.orientation if alignment is not None and alignment.parts is not None else None
        if seen is None or not seen.pictures:
            yield not_applicable("no JPEG or PNG file was seen to be opened")
            return
        ignored = [one for one in seen.turned if one.read_as == "stored"]
        if ignored:
            yield self._ignored(case, seen, ignored)
        elif seen.turned and all(one.read_as == "unclear" for one in seen.turned):
            yield insufficient(
                f"{counted(len(seen.turned), 'picture')} carry an orientation, and whether it was obeyed cannot be told"
            )

    def _ignored(self, case: Case, seen: OrientationEvidence, ignored: list[TurnedPicture]) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        tags = {one.orientation for one in ignored}
        counts = {tag: sum(one.orientation == tag for one in ignored) for tag in sorted(tags)}
        first = ignored[0]
        verdict = judged(case)
        fits = (
            {str(row.sample) for row in explained_by_orientation(verdict)} if verdict is not None else set()
        )
        harmed = [one for one in ignored if one.annotated_as == "shown" or str(one.sample) in fits]
        told = listed([f"{count} with {tag}" for tag, count in counts.items()])
        harm = ""
        if harmed:
            how = "boxes fit" if str(harmed[0].sample) in fits else "the sample states"
            harm = f"; in {counted(len(harmed), 'sample')} {how} the size of the turned picture"
        return self.finding(
            f"{counted(len(ignored), 'picture')} of {seen.pictures} carry an orientation that was not obeyed ({told}):"
            f" {first.path}, {at(first.sample)}, is stored as {first.width} x {first.height}{harm}",
            advice="Call `PIL.ImageOps.exif_transpose(image)` right after opening.",
            level=Level.ERROR if harmed else Level.WARNING,
            where=spec.dataset_ref,
            samples=[one.sample for one in harmed or ignored],
            pictures=seen.pictures,
            ignored=len(ignored),
            by_tag={str(tag): count for tag, count in counts.items()},
            obeyed=sum(one.read_as == "shown" for one in seen.turned),
            unclear=sum(one.read_as == "unclear" for one in seen.turned),
        )
