"""DL401 image-count-mismatch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.placeholders import (
    named,
    placeholders_of,
    samples_of,
    sure,
    where_made,
    why_not,
    wrong_rows,
)  # fmt: skip
from dldoctor.checks.wording import at, counted
from dldoctor.evidence.placeholders import PlaceholderRow, PlaceholdersEvidence, TagEvidence, TaggedSample
from dldoctor.finding import Finding, Level, Unjudged

SHOWN = 2
TAGS_KEPT = 10


@dataclass(frozen=True)
class ImageCountMismatch(Check):
    """A sample has another number of image tags than of images.

    ## Why it hurts
    Each tag becomes the place of one image. With a tag too many, or an image too few, the images of the rows behind
    it slip into wrong places, or the model stops. A caption, a text read from a picture or an answer that quotes
    the tag is enough.

    ## What to do
    Repair or leave out the samples that the finding names; escape the tag in texts that only quote it.

    ## When it is wrong
    Tags are counted before the text is expanded. Where the placeholders of the batch fit its images all the same,
    it is `info`. Templates that add the tag themselves need none in the text and are not judged. If the tag is
    another one, declare `--image-tag`.
    """

    rule: ClassVar[str] = "DL401"
    name: ClassVar[str] = "image-count-mismatch"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-alignment",)
    needs: ClassVar[tuple[str, ...]] = ("placeholders",)

    mostly: float = 0.9
    """Share of samples whose tags and images agree, from which a missing tag alone is an error."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare tags and images of samples, then single placeholders and images of rows."""
        seen = placeholders_of(case)
        tags = seen.tags
        rows = [
            row
            for row in wrong_rows(seen, "tags")
            if tags is None or row.batch not in {one.batch for one in tags.examples}
        ]
        if tags is not None and tags.examples:
            yield from self._of_samples(case, tags)
        if rows:
            yield self._of_rows(case, seen, rows)
        if tags is None and not any(one.tie in ("one", "numbered") for one in seen.streams):
            reason = why_not(seen)
            yield (
                insufficient(reason)
                if reason and seen.streams
                else not_applicable(
                    reason
                    or "no text of the samples holds a tag for each image, and placeholders are expanded"
                )
            )

    def _of_samples(self, case: Case, tags: TagEvidence) -> Iterator[Finding]:
        harmless = [one for one in tags.examples if one.fits]
        harmful = [one for one in tags.examples if not one.fits]
        if harmful:
            yield self._samples(case, tags, harmful, self._level(tags, harmful))
        elif harmless:
            yield self._samples(case, tags, harmless, Level.INFO)

    def _level(self, tags: TagEvidence, harmful: Sequence[TaggedSample]) -> Level:
        shown = any(one.fits is False or one.count > one.images for one in harmful)
        usual = tags.agreeing >= self.mostly * tags.pictured
        return self.level if shown or usual else Level.WARNING

    def _samples(
        self, case: Case, tags: TagEvidence, samples: Sequence[TaggedSample], level: Level
    ) -> Finding:
        spec = case.evidence.loader
        tag = f"`{tags.text}` tags" if tags.text else "image parts"
        fits = "; the placeholders of the batch fit its images all the same" if level is Level.INFO else ""
        said = "; ".join(_said(one) for one in samples[:SHOWN])
        return self.finding(
            f"{counted(len(samples), 'sample')} of {tags.samples} {'has' if len(samples) == 1 else 'have'} another number of "
            f"{tag} than of images: {said}{fits}",
            advice="Repair or leave out these samples, and escape tags that a text only quotes.",
            level=level,
            where=spec.dataset_ref if spec else None,
            samples=[one.sample for one in samples],
            tag=tags.text,
            differences=tags.differences,
            examples=[
                {
                    "sample": str(one.sample),
                    "images": one.images,
                    "tags": one.count,
                    "at": [
                        {"role": t.role, "path": t.path, "offset": t.offset, "excerpt": t.excerpt}
                        for t in one.tags[:TAGS_KEPT]
                    ],
                }
                for one in samples[:TAGS_KEPT]
            ],
        )

    def _of_rows(self, case: Case, seen: PlaceholdersEvidence, rows: Sequence[PlaceholderRow]) -> Finding:
        first = rows[0]
        stream = seen.streams[first.stream]
        place = (
            f"row {first.row} of batch {first.batch}" if first.row >= 0 else f"a row of batch {first.batch}"
        )
        return self.finding(
            f"{counted(len(rows), 'row')} of {stream.rows} {'has' if len(rows) == 1 else 'have'} another number of placeholders "
            f"than of {stream.media}s: {place} has {first.placeholders} of {named(stream)} for {first.expected}",
            advice=f"Give each {stream.media} one placeholder, and each placeholder one {stream.media}.",
            level=sure(seen, rows, self.level),
            where=where_made(case),
            samples=samples_of(rows),
            rows=len(rows),
            rows_seen=stream.rows,
            placeholders=first.placeholders,
            images=first.expected,
            at=[slot.at for slot in first.slots if slot.at >= 0],
            batch=first.batch,
            row=first.row if first.row >= 0 else None,
        )


def _said(one: TaggedSample) -> str:
    places = [f"{tag.role or tag.path} at {tag.offset}" for tag in one.tags[:4]]
    shown = f" ({', '.join(places)})" if places else ""
    return f"{at(one.sample)} has {counted(one.count, 'tag')}{shown} for {counted(one.images, 'image')}"
