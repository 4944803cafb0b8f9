"""What is said of token rows: how fields stand, and the shown rows with what each token is."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelGroup, LabelsEvidence, ShownRow, ShownToken
from dldoctor.render.clean_text import clean
from dldoctor.render.content.aims import aim_of, aims, text_of
from dldoctor.render.content.ids import id_text
from dldoctor.render.content.odd_rows import odd_of
from dldoctor.render.numbers import count, counted, share
from dldoctor.report import Report

ROLES = {
    "trained": "is learned",
    "ignored": "is read only",
    "special": "special, not learned",
    "placeholder": "stands for an image or sound",
    "padding": "padding",
}
"""What a token is to the loss, as the legend says it."""


@dataclass(frozen=True)
class TokenCell:
    """One position of a shown row."""

    at: int
    text: str
    """Decoded text, or the id."""
    role: str
    tip: str
    """All that is known of the position."""
    starts: bool = False
    """A document begins here."""
    gap: bool = False
    """Positions before it are left out."""
    aim: str = ""
    """The word that it is to name, where another stands in the input."""


@dataclass(frozen=True)
class RowView:
    """A row as a person looks at it."""

    title: str
    odd: tuple[str, ...]
    """What is odd about it; empty for a plain row."""
    cells: tuple[TokenCell, ...]
    shift: tuple[str, ...]
    """Sentences on which position predicts which token."""
    left_out: int = 0


def found(report: Report) -> LabelsEvidence | None:
    """Return the evidence, where labels were looked at."""
    return report.evidence.labels


def title(labels: LabelsEvidence) -> str:
    """Return what the section is about, in a few words."""
    if not labels.groups:
        return f"{counted(labels.samples, 'sample')} of {counted(labels.batches, 'batch', 'batches')}"
    # A row of a batch may hold several texts: a question and its answer, two answers to choose from.
    rows = len({(row.batch, row.row) for row in labels.rows}) if len(labels.groups) > 1 else len(labels.rows)
    return f"{counted(rows, 'row')} of {counted(labels.batches, 'batch', 'batches')}"


def field_lines(labels: LabelsEvidence) -> tuple[tuple[str, str], ...]:
    """Return how the fields were understood."""
    lines = []
    for group in labels.groups:
        parts = [] if group.decoder else [f"ids `{group.tokens}`"]
        parts += ["read only"] if _is_read(labels, group) else []
        if group.labels:
            kind = (
                "a sequence of their own"
                if group.decoder
                else {
                    "same": "at their own position",
                    "shifted": "moved by one",
                    "mlm": "of masked words, at their own position",
                    "unclear": "all ignored",
                    "classes": "classes of tokens",
                    "apart": "a text of its own",
                    "other": "unlike the ids",
                }.get(group.label_kind, "")
            )
            ignored = "" if group.ignored is None else f", {group.ignored} is ignored"
            parts.append(f"labels `{group.labels}` ({kind}{ignored})")
        parts += [f"loss mask `{group.loss_mask}`"] if group.loss_mask else []
        parts += [f"mask `{group.mask}` ({group.mask_kind})"] if group.mask else []
        parts += [f"positions `{group.positions}`"] if group.positions else []
        parts += [f"documents by {group.documents_by}"] if group.documents_by != "none" else []
        parts += [] if group.certain else ["a guess: confirm with --field"]
        lines.append(("fields", clean(", ".join(parts), 400)))
    lines += [("ids", _vocabulary(labels))] if labels.groups else []
    lines += [("drift", clean(sentence, 300)) for sentence in labels.drift]
    return tuple(line for line in lines if line[1])


def _is_read(labels: LabelsEvidence, group: LabelGroup) -> bool:
    """Whether a text has no labels of its own and another is what is to be learned, as an encoder's text."""
    return group.label_kind == "none" and any(one.decoder for one in labels.groups)


def _vocabulary(labels: LabelsEvidence) -> str:
    words = labels.vocabulary
    ids = [
        f"{name} {value} ({words.sources.get(key, 'rows')})"
        for name, key, value in (
            ("pad", "pad", words.pad),
            ("end", "eos", words.eos),
            ("start", "bos", words.bos),
            ("turn end", "end", words.end),
        )
        if value is not None
    ]
    ids += [f"vocabulary {words.size} ({words.sources.get('size')})"] if words.size is not None else []
    ids += [f"placeholders {', '.join(map(str, words.placeholders[:6]))}"] if words.placeholders else []
    ids += (
        [f"tokenizer {words.tokenizer} at {words.found_at}"]
        if words.tokenizer
        else ["no tokenizer was found"]
    )
    return clean(", ".join(ids), 400)


def row_views(labels: LabelsEvidence) -> tuple[RowView, ...]:
    """Return the shown rows, odd ones first; what stands in one row of a batch stays together."""
    facts = {(row.batch, row.row, row.group): row for row in labels.rows}
    views = [_view(labels, shown, facts.get((shown.batch, shown.row, shown.group))) for shown in labels.shown]
    places = [(shown.batch, shown.row) for shown in labels.shown]
    odd = {place for place, view in zip(places, views, strict=True) if view.odd}
    order = sorted(range(len(views)), key=lambda at: (places[at] not in odd, places.index(places[at]), at))
    return tuple(views[at] for at in order)


def _view(labels: LabelsEvidence, shown: ShownRow, row: LabelRow | None) -> RowView:
    group = labels.groups[shown.group]
    of = f" of `{clean(group.tokens, 40)}`" if len(labels.groups) > 1 else ""
    sample = f", sample {id_text(shown.sample)}" if shown.sample is not None else ""
    cells, before = [], None
    for token in shown.tokens:
        gap = before is not None and token.at != before.at + 1
        starts = before is not None and token.document > 1 and token.document != before.document
        aim = aim_of(group, token)
        cells.append(TokenCell(token.at, text_of(token), token.role, _tip(token, aim), starts, gap, aim))
        before = token
    return RowView(
        f"batch {shown.batch} row {shown.row}{of}{sample}",
        odd_of(row, group.label_kind) if row else (),
        tuple(cells),
        aims(group, shown.tokens),
        shown.skipped,
    )


def _tip(token: ShownToken, aim: str) -> str:
    parts = [f"position {token.at}", f"id {token.id}"]
    named = f" ({aim})" if aim and aim != str(token.label) else ""
    parts += [f"label {token.label}{named}"] if token.label is not None else []
    parts += [f"mask {token.mask}"] if token.mask is not None else []
    parts += [f"document {token.document}"] if token.document > 1 else []
    return ", ".join(parts)


def class_lines(labels: LabelsEvidence) -> tuple[tuple[str, str], ...]:
    """Return the classes of each field that holds some, commonest first."""
    lines = []
    for one in labels.classes:
        total = max(1, one.elements)
        values = ", ".join(f"{value} {share(count / total)}" for value, count in one.values[:8])
        more = f" and {len(one.values) - 8} more" if len(one.values) > 8 else ""
        guess = "" if one.certain else "; a guess: confirm with --field class_label=PATH"
        lines.append((clean(one.path, 40), f"{one.dtype} {one.low} .. {one.high}: {values}{more}{guess}"))
    return tuple(lines)


def source_lines(labels: LabelsEvidence) -> tuple[tuple[str, str], ...]:
    """Return the trained share of each source, a line a field."""
    by_path: dict[str, list[str]] = {}
    for one in labels.by_source:
        text = f"{clean(one.value, 40)} {share(one.trained / max(1, one.tokens))} of {count(one.tokens)}"
        by_path.setdefault(one.path, []).append(text)
    return tuple(
        (f"by {clean(path, 30)}", f"trained: {', '.join(texts[:8])}" + (f" and {len(texts) - 8} more" if len(texts) > 8 else ""))
        for path, texts in by_path.items()
    )  # fmt: skip
