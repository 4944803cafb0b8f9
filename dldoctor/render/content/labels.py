"""What is said of token rows: sums, tables, and the shown rows with what each token is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelsEvidence, ShownRow, ShownToken
from dldoctor.render.clean_text import clean
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
_LENGTHS = ("p50", "p90", "p99", "longest")


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
    return f"{counted(len(labels.rows), 'row')} of {counted(labels.batches, 'batch', 'batches')}"


def field_lines(labels: LabelsEvidence) -> tuple[tuple[str, str], ...]:
    """Return how the fields were understood."""
    lines = []
    for group in labels.groups:
        parts = [f"ids `{group.tokens}`"]
        if group.labels:
            kind = {
                "same": "at their own position",
                "shifted": "moved by one",
                "mlm": "of masked words",
                "unclear": "all ignored",
                "classes": "classes of tokens",
                "apart": "a text of its own",
                "other": "unlike the ids",
            }.get(group.label_kind, "")
            ignored = "" if group.ignored is None else f", {group.ignored} is ignored"
            parts.append(f"labels `{group.labels}` ({kind}{ignored})")
        parts += [f"loss mask `{group.loss_mask}`"] if group.loss_mask else []
        parts += [f"mask `{group.mask}` ({group.mask_kind})"] if group.mask else []
        parts += [f"positions `{group.positions}`"] if group.positions else []
        parts += [f"documents by {group.documents_by}"] if group.documents_by != "none" else []
        parts += [] if group.certain else ["a guess: confirm with --field"]
        lines.append(("fields", clean(", ".join(parts), 400)))
    lines.append(("ids", _vocabulary(labels)))
    lines += [("drift", clean(sentence, 300)) for sentence in labels.drift]
    return tuple(line for line in lines if line[1])


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


def sum_lines(labels: LabelsEvidence) -> tuple[tuple[str, str], ...]:
    """Return trained shares, lengths and cuts, one labelled line each."""
    rows = [row for row in labels.rows if row.real]
    if not rows:
        return ()
    lines = [("lengths", _lengths(rows))]
    real, width = sum(row.real for row in rows), sum(row.real + row.left + row.right for row in rows)
    lines.append(("padding", f"{share((width - real) / width)} of {width:,} positions"))
    if any(group.label_kind != "none" for group in labels.groups):
        trained = sum(row.trained for row in rows)
        none = sum(not row.trained for row in rows)
        lines.append(
            (
                "trained",
                f"{trained:,} of {real:,} real tokens ({share(trained / real)}); rows without any: {none}",
            )
        )
    spoken = [
        f"{clean(name, 20)} {share(trained / total)} of {total:,}"
        for name, (total, trained) in labels.turns.items() if total
    ]  # fmt: skip
    lines += [("by speaker", ", ".join(spoken))] if spoken else []
    lines += [("limit", _limit(labels, rows))] if labels.limit else []
    packs = [row for row in rows if row.documents > 1]
    if packs:
        lines.append(
            ("packed", f"{sum(row.documents for row in packs)} documents in {counted(len(packs), 'row')}")
        )
    return tuple(lines)


def _lengths(rows: Sequence[LabelRow]) -> str:
    ordered = sorted(row.real for row in rows)
    last = len(ordered) - 1
    values = [ordered[round(last * part)] for part in (0.5, 0.9, 0.99, 1.0)]
    return (
        ", ".join(f"{name} {value:,}" for name, value in zip(_LENGTHS, values, strict=True)) + " real tokens"
    )


def _limit(labels: LabelsEvidence, rows: Sequence[LabelRow]) -> str:
    at = sum(row.real >= (labels.limit or 0) for row in rows)
    text = f"{labels.limit} ({labels.limit_from}); rows as long: {at}"
    trial = labels.trial
    if trial is not None:
        text += f"; read again without it: {trial.cut} of {trial.samples} are longer, up to {trial.longest}"
        if trial.keeps_95 and trial.keeps_99:
            text += f"; {trial.keeps_95} keeps whole answers in 95%, {trial.keeps_99} in 99%"
    return text


def row_views(labels: LabelsEvidence) -> tuple[RowView, ...]:
    """Return the shown rows, odd ones first."""
    facts = {(row.batch, row.row, row.group): row for row in labels.rows}
    views = [_view(labels, shown, facts.get((shown.batch, shown.row, shown.group))) for shown in labels.shown]
    return tuple(sorted(views, key=lambda view: not view.odd))


def _view(labels: LabelsEvidence, shown: ShownRow, row: LabelRow | None) -> RowView:
    group = f" of `{clean(labels.groups[shown.group].tokens, 40)}`" if len(labels.groups) > 1 else ""
    sample = f", sample {id_text(shown.sample)}" if shown.sample is not None else ""
    cells, before = [], None
    for token in shown.tokens:
        gap = before is not None and token.at != before.at + 1
        starts = before is not None and token.document > 1 and token.document != before.document
        cells.append(TokenCell(token.at, _text(token), token.role, _tip(token), starts, gap))
        before = token
    return RowView(
        f"batch {shown.batch} row {shown.row}{group}{sample}",
        odd_of(row, labels.groups[shown.group].label_kind) if row else (),
        tuple(cells),
        _shift(shown.tokens),
        shown.skipped,
    )


def _text(token: ShownToken) -> str:
    return clean(token.text, 24) if token.text else str(token.id)


def _tip(token: ShownToken) -> str:
    parts = [f"position {token.at}", f"id {token.id}"]
    parts += [f"label {token.label}"] if token.label is not None else []
    parts += [f"mask {token.mask}"] if token.mask is not None else []
    parts += [f"document {token.document}"] if token.document > 1 else []
    return ", ".join(parts)


def _shift(tokens: Sequence[ShownToken]) -> tuple[str, ...]:
    """Say which position predicts the first and the last target."""
    pairs = [(one, two) for one, two in pairwise(tokens) if two.at == one.at + 1]
    aims = [(one, two) for one, two in pairs if two.role == "trained"]
    if not aims:
        return ()
    ends = [aims[0]] if len(aims) == 1 else [aims[0], aims[-1]]
    return tuple(f"position {one.at} (`{_text(one)}`) predicts `{_text(two)}`" for one, two in ends)


def class_lines(labels: LabelsEvidence) -> tuple[tuple[str, str], ...]:
    """Return the classes of each field that holds some, commonest first."""
    lines = []
    for one in labels.classes:
        total = max(1, one.elements)
        values = ", ".join(f"{value} {share(count / total)}" for value, count in one.values[:8])
        more = f" and {len(one.values) - 8} more" if len(one.values) > 8 else ""
        lines.append((clean(one.path, 40), f"{one.dtype} {one.low} .. {one.high}: {values}{more}"))
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
