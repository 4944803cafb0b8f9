"""What is said of the parts of single samples: boxes, files, orientation, seconds, test cards, scores."""

from __future__ import annotations

from collections.abc import Iterator

from dldoctor.evidence.alignment import AlignmentEvidence, PartsEvidence
from dldoctor.evidence.file_pairs import FilePairs, OrientationEvidence
from dldoctor.render.numbers import count, counted


def part_lines(evidence: AlignmentEvidence) -> Iterator[tuple[str, str]]:
    """Yield a name and a sentence for each thing that was compared."""
    if evidence.parts is not None:
        yield from _parts(evidence.parts)
    for one in evidence.transforms:
        came = "all transformed alike" if not one.apart else f"{count(one.apart)} transformed apart"
        pair = f"`{one.target}` beside `{one.picture}`"
        yield "cards", f"test cards, {pair}, {counted(one.readings, 'reading')}: {came}"
    scores = evidence.scores
    if scores is not None:
        yield (
            "scorer",
            scores.failed
            or f"{counted(scores.pairs, 'pair')}, median {scores.median:.3g};"
            f" {count(scores.unrelated)} score no better than with other texts",
        )


def _parts(parts: PartsEvidence) -> Iterator[tuple[str, str]]:
    seen = parts.annotations
    if seen is not None and seen.boxes:
        boxes = sum(row.boxes for row in seen.boxes)
        name, known_by = seen.box_format
        guess = "guessed from their values; `--box-format` declares it" if known_by == "values" else known_by
        told = f"{counted(boxes, 'box', 'boxes')} of {counted(len(seen.boxes), 'sample')}"
        yield "boxes", f"{told} against their pictures, read as {name} ({guess})"
    if seen is not None and seen.with_masks:
        came = "all fit" if not seen.masks else f"{count(len(seen.masks))} do not fit"
        noun = counted(seen.with_masks, "mask or set of keypoints", "masks or sets of keypoints")
        yield "masks", f"{noun} against the picture: {came}"
    if parts.files is not None and parts.files.pairs:
        yield "files", _files(parts.files)
    if parts.listed is not None:
        came = f"{count(parts.listed.wrong)} have that of another file" if parts.listed.wrong else "all agree"
        yield "texts", f"{counted(parts.listed.samples, 'sample')} against {parts.listed.path}: {came}"
    if parts.order is not None:
        came = (
            f"{count(len(parts.order.wrong))} by names as text" if parts.order.wrong else "all in their order"
        )
        yield "frames", f"{counted(parts.order.samples, 'row')} of numbered files: {came}"
    if parts.orientation is not None and parts.orientation.pictures:
        yield "pictures", _orientation(parts.orientation)
    if parts.times is not None and parts.times.rows:
        yield "seconds", f"{counted(len(parts.times.rows), 'sample')} with two parts whose length is told"


def _files(files: FilePairs) -> str:
    pairs = counted(files.pairs, "pair")
    if not files.by:
        return f"{pairs}, whose names have nothing in common"
    came = "all are partners" if not files.wrong else f"{count(files.wrong)} are no partners"
    return f"{pairs} compared by {files.by}: {came}"


def _orientation(seen: OrientationEvidence) -> str:
    files = counted(seen.pictures, "file")
    if not seen.turned:
        return f"{files}, none with an orientation"
    ways = {way: sum(one.read_as == way for one in seen.turned) for way in ("shown", "stored", "unclear")}
    told = {"shown": "obeyed", "stored": "not obeyed", "unclear": "unclear"}
    parts = ", ".join(f"{count(number)} {told[way]}" for way, number in ways.items() if number)
    return f"{files}, {count(len(seen.turned))} with an orientation: {parts}"
