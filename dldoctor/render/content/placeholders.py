"""What is said of placeholders: which id stands for what, how it is counted, and how many rows fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.evidence.placeholders import PlaceholdersEvidence, Stream
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import count, counted
from dldoctor.report import Report


@dataclass(frozen=True)
class StreamRow:
    """One kind of media."""

    media: str
    placeholder: str
    unit: str
    fitting: str


def found(report: Report) -> PlaceholdersEvidence | None:
    """Return the evidence, where the batches held media beside text."""
    return report.evidence.placeholders


def title(evidence: PlaceholdersEvidence) -> str:
    """Return what the section is about, in a few words."""
    items = ", ".join(counted(one.items, one.media) for one in evidence.streams)
    batches = counted(evidence.batches, "batch", "batches")
    return f"{items} in {batches}" if items else batches


def stream_rows(evidence: PlaceholdersEvidence) -> tuple[StreamRow, ...]:
    """Return the media whose placeholders are judged."""
    return tuple(_row(one) for one in evidence.streams if one.tie is not None)


def _row(stream: Stream) -> StreamRow:
    ids = ", ".join(str(one) for one in stream.placeholder[:3])
    return StreamRow(
        stream.media,
        clean(f"{stream.text} {ids}".strip(), 40),
        clean(stream.unit, 60),
        f"{count(stream.rows - stream.wrong_rows)} of {count(stream.rows)}",
    )


def lines(evidence: PlaceholdersEvidence) -> tuple[tuple[str, str], ...]:
    """Return what else is known, as pairs of a name and a sentence."""
    return tuple((name, clean(text, 300)) for name, text in _lines(evidence))


def _lines(evidence: PlaceholdersEvidence) -> Iterator[tuple[str, str]]:
    for stream in evidence.streams:
        if stream.tie is None:
            yield stream.media, f"not judged: {stream.why}"
        elif stream.dummies:
            yield (
                stream.media,
                f"{counted(stream.dummies, 'dummy', 'dummies')} that may go without placeholders",
            )
    for field in evidence.counts:
        wrong = len(field.wrong)
        agrees = f"`{field.path}` agrees with `{field.against}` in every batch"
        differs = f"`{field.path}` differs from `{field.against}` in {counted(wrong, 'batch', 'batches')}"
        yield "counts", differs if wrong else agrees
    if (tags := evidence.tags) is not None:
        name = f"`{tags.text}`" if tags.text else "image parts"
        agree = f"as many {name} as images in {count(tags.samples - tags.differing)} of {counted(tags.samples, 'sample')}"
        yield "tags", agree
