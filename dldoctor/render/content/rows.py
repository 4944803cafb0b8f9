"""What is shown of rows to look at: one card a row, those that findings name first."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.row_media import MediaRow, RowMediaEvidence, RowSound, RowText, TextPiece
from dldoctor.finding import Level
from dldoctor.render.clean_text import clean
from dldoctor.render.content.row_findings import foreign_fields, rules_by_sample
from dldoctor.render.content.row_pictures import PictureView, colours_of, picture_views
from dldoctor.render.numbers import count, counted, size
from dldoctor.report import Report

PIECE = 4000
RATES = {"field": "", "file": " by the length of its file", "assumed": " assumed: nothing states its rate"}
HALF = 18
"""Height of the loudest bar of a waveform, above and below its middle."""


@dataclass(frozen=True)
class RuleView:
    """A finding that names the row's sample."""

    level: Level
    text: str


@dataclass(frozen=True)
class SoundView:
    """One sound with its outline."""

    source: str
    """Data URI; empty where there is none."""
    outline: str
    """SVG path over a box of the width of its bars."""
    width: int
    caption: str


@dataclass(frozen=True)
class TextView:
    """One text in pieces."""

    path: str
    pieces: tuple[TextPiece, ...]
    note: str


@dataclass(frozen=True)
class RowCard:
    """One row."""

    title: str
    rules: tuple[RuleView, ...]
    pictures: tuple[PictureView, ...]
    sounds: tuple[SoundView, ...]
    texts: tuple[TextView, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class RowsView:
    """The rows of a page."""

    lines: tuple[str, ...]
    cards: tuple[RowCard, ...]

    @property
    def odd(self) -> int:
        """Rows that a finding names."""
        return sum(bool(card.rules) for card in self.cards)

    @property
    def marked(self) -> bool:
        """Whether anything is drawn over a picture."""
        return any(one.marked for card in self.cards for one in card.pictures)


def section(report: Report) -> RowsView | None:
    """Return what a page shows, or nothing where no rows were asked for."""
    media = found(report)
    return None if media is None else RowsView(lines(media), cards(report))


def found(report: Report) -> RowMediaEvidence | None:
    """Return the evidence, where rows are to be shown."""
    media = report.evidence.row_media
    return media if media is not None and media.rows else None


def title(media: RowMediaEvidence) -> str:
    """Return how many rows there are to look at."""
    return f"{counted(len(media.rows), 'row')} to look at"


def lines(media: RowMediaEvidence) -> tuple[str, ...]:
    """Return what is to be known of all of them."""
    said = [clean(one, 200) for one in media.notes]
    if media.without_media:
        said.append(
            f"pictures and sounds of {counted(media.without_media, 'row')} are left out: all together may "
            f"take {size(media.limit_bytes)}; ask for less with --rows or --ids"
        )
    return tuple(said)


def cards(report: Report) -> tuple[RowCard, ...]:
    """Return the rows, those that a finding names first, each in the order in which it was read."""
    media = found(report)
    if media is None:
        return ()
    rules = rules_by_sample(report)
    made = [(row, rules.get(row.sample, ()) if row.sample is not None else ()) for row in media.rows]
    made.sort(key=lambda pair: (not pair[1], not pair[0].suspect))
    colours, strangers = colours_of(media.rows), foreign_fields(report)
    return tuple(
        RowCard(
            title=row_title(row),
            rules=tuple(RuleView(one.level, f"{one.rule} {one.name}") for one in own),
            pictures=picture_views(row, colours),
            sounds=tuple(_sound(one) for one in row.sounds),
            texts=tuple(text_view(one) for one in row.texts),
            facts=tuple(fact_lines(row)),
            notes=(*strangers.get(row.number, ()), *_notes(row)),
        )
        for row, own in made
    )


def row_title(row: MediaRow) -> str:
    """Return where a row stands, and what it was made of."""
    place = f"batch {row.batch}, row {row.row}"
    return place if row.sample is None else f"sample {clean(str(row.sample), 60)}: {place}"


def _notes(row: MediaRow) -> tuple[str, ...]:
    names = ", ".join(f"`{clean(path, 40)}`" for path in row.alone)
    return (f"as the sample has it, not the batch: {names}",) if names else ()


def fact_lines(row: MediaRow) -> list[tuple[str, str]]:
    """Return ids, labels, short values, files and shapes as pairs."""
    found = [("id", clean(row.own_id, 120))] if row.own_id else []
    found += [("file", clean(path, 200)) for path in row.files]
    found += [(clean(one.path, 40), clean(one.text, 120)) for one in (*row.labels, *row.facts)]
    for boxes in row.boxes:
        drawn = f", {len(boxes.boxes)} drawn" if len(boxes.boxes) < boxes.count else ""
        how = (
            f"{boxes.format}, {boxes.known_by}" if boxes.known_by != "values" else f"{boxes.format} by values"
        )
        plural = "box" if boxes.count == 1 else "boxes"
        found.append((clean(boxes.path, 40), clean(f"{count(boxes.count)} {plural}{drawn} ({how})", 120)))
    for points in row.points:
        seen = f"{count(len(points.points))} of {counted(points.count, 'keypoint')} visible"
        found.append((clean(points.path, 40), seen))
    for mask in row.masks:
        values = ", ".join(str(one) for one in mask.classes[:12]) + (", …" if len(mask.classes) > 12 else "")
        found.append((clean(mask.path, 40), f"mask of {mask.width}x{mask.height}, values {values}"))
    if row.shapes:
        found.append(("shapes", clean(", ".join(f"{one.path} {one.text}" for one in row.shapes), 300)))
    return found


def text_view(text: RowText) -> TextView:
    """Return a text whose pieces can be shown: no control characters, lines kept apart by marks."""
    pieces = tuple(TextPiece(_shown(piece), piece.kind, piece.number, piece.count) for piece in text.pieces)
    note = f"{counted(text.tokens, 'token')}" if text.tokens else ""
    return TextView(clean(text.path, 60), pieces, note + (", cut here" if text.cut else ""))


def _shown(piece: TextPiece) -> str:
    if piece.kind == "padding":
        return f"padding x{count(piece.count)}"
    text = clean(piece.text.replace("\n", " ⏎ "), PIECE)
    if piece.kind == "placeholder":
        return f"{piece.number}: {text} x{count(piece.count)}"
    return text + (" …" if piece.kind == "ids" and piece.count > 24 else "")


def _sound(one: RowSound) -> SoundView:
    bars = one.envelope
    outline = "".join(
        f"M{at + 0.5:g} {HALF - max(bar * HALF, 0.5):.1f}V{HALF + max(bar * HALF, 0.5):.1f}"
        for at, bar in enumerate(bars)
    )
    rate = f"{count(one.rate)} Hz{RATES[one.rate_from]}"
    cut = f"the first {one.heard_s:.3g} of " if one.heard_s < one.seconds * 0.99 else ""
    scaled = f"; scaled down from a peak of {one.peak:.3g}" if one.peak > 1.0001 and one.peak < 256 else ""
    caption = f"{clean(one.path, 40)}: {cut}{one.seconds:.3g} s, {rate}{scaled}"
    source = f"data:audio/wav;base64,{one.wav}" if one.wav else ""
    return SoundView(source, outline, len(bars), caption)
