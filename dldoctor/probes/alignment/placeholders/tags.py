"""Tags in the texts of samples against their images, before anything is expanded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dldoctor.evidence.placeholders import Tag, TagEvidence, TaggedSample
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.placeholders.notes import Note

KEPT = 128
AGREE = 0.5
"""Share of the samples with images of which tags and images must agree, or the tag means something else."""
LEAST = 2


class Noted(NamedTuple):
    """One sample with its note."""

    batch: int
    sample: SampleId
    note: Note


def tags_of(
    noted: Sequence[Noted], declared: str | None, fits: Mapping[int, bool], parsed: Sequence[str] = ()
) -> TagEvidence | None:
    """Return how tags and images compare, or None where the samples hold no tags beside images.

    `fits`: batch to whether its placeholders and features agree after all. `parsed` are the tags that the
    tokenizer itself knows.
    """
    known = [one for one in noted if one.note.images >= 0 and one.note.texts]
    pictured = [one for one in known if one.note.images > 0]
    if not known:
        return None
    names = dict.fromkeys(name for one in known for name in one.note.counts)
    choices = [declared] if declared else [*parsed, *(name for name in names if name not in parsed)]
    if any(one.note.parts for one in known):
        choices.append("")
    best, score = "", -1.0
    for name in dict.fromkeys(choices):
        agreeing = sum(_count(one.note, name) == one.note.images for one in pictured)
        share = agreeing / len(pictured) if pictured else 0.0
        # Of two that agree alike, the one that occurs at all tells more.
        occurs = sum(one.note.counts.get(name, 0) for one in known) > 0
        if (share, occurs) > (score, best in names):
            best, score = name, share
    found = _summed_up(known, pictured, best, fits) if score >= 0 else None
    few = len(pictured) < LEAST
    if found is None or declared or (score >= AGREE and not few):
        return found
    # A sample or two cannot tell which tag is meant; the tokenizer can, if the batch does not fit either.
    return found if few and best in parsed and any(one.fits is False for one in found.examples) else None


def _count(note: Note, name: str) -> int:
    return note.counts.get(name, 0) + note.parts


def _summed_up(
    known: Sequence[Noted], pictured: Sequence[Noted], name: str, fits: Mapping[int, bool]
) -> TagEvidence:
    differing = [one for one in known if _count(one.note, name) != one.note.images]
    apart = Counter(_count(one.note, name) - one.note.images for one in known)
    return TagEvidence(
        text=name,
        samples=len(known),
        pictured=len(pictured),
        agreeing=sum(_count(one.note, name) == one.note.images for one in pictured),
        differing=len(differing),
        differences={str(number): count for number, count in sorted(apart.items())},
        examples=tuple(
            TaggedSample(
                one.sample,
                one.note.images,
                tuple(
                    Tag(text, path, role, offset, excerpt)
                    for text, path, role, offset, excerpt in one.note.tags
                    if text == name
                ),
                _count(one.note, name),
                one.batch,
                fits.get(one.batch),
            )
            for one in differing[:KEPT]
        ),
    )
