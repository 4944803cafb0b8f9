"""DL301 label-pad-trained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import (
    excerpt,
    first_shown,
    group_of,
    labels_of,
    paths_of,
    samples_of,
    sure,
)  # fmt: skip
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class LabelPadTrained(Check):
    """Padding carries labels that the loss counts.

    ## Why it hurts
    The model is rewarded for printing padding. The loss looks very low, because padding is easy, and the
    longer the padding, the less the text counts.

    ## What to do
    Pad labels with the value that the loss ignores (-100 in torch), not with the pad id:
    `labels[attention_mask == 0] = -100`.

    ## When it is wrong
    A trainer that multiplies the loss by a mask of its own; name the mask with `--field loss_mask=PATH`.
    A loss of your own that ignores the pad id: declare it with `--ignore-index`. Where nothing else is ignored
    and the labels are not called `labels`, as models of transformers want them, that is likely, and a note.
    Real tokens under mask 0 are `mask-hides-tokens`.
    """

    rule: ClassVar[str] = "DL301"
    name: ClassVar[str] = "label-pad-trained"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the positions that are padding with those that are targets."""
        labels = labels_of(case)
        rows = [
            row
            for row in labels.rows
            if row.real and not row.lag and group_of(labels, row).label_kind != "none"
        ]
        if not rows:
            yield not_applicable("the batches have no labels of text")
            return
        bad = [row for row in rows if row.pad_trained]
        if not bad:
            return
        count, padding = (
            sum(row.pad_trained for row in bad),
            sum(max(row.width - row.real, row.pad_trained) for row in rows),
        )
        value = _ignored_by_its_loss(case, labels, bad)
        shown = first_shown(labels, bad)
        known = {"sample": "the lengths of the samples", "mask": "the mask", "pad": "the pad id"}
        spec = case.evidence.loader
        yield self.finding(
            f"{counted(count, 'padded position')} of {padding} ({percent(count / max(1, padding))}) in "
            f"{counted(len(bad), 'row')} of {len(rows)} carry a label that is trained; "
            f"padding is told by {known.get(shown.known, 'its place')}"
            + ("" if value is None else f"; right for a loss with `ignore_index={value}`, padding is learned otherwise"),
            advice="Pad the labels with the value that the loss ignores (-100), not with the pad id." if value is None
            else f"Declare `--ignore-index {value}`, if that is what the loss ignores.",
            level=sure(labels, bad, Level.INFO if value is not None else self.level if shown.known != "pad" or case.intent.pad_id is not None
                       or labels.vocabulary.sources.get("pad") == "tokenizer" else Level.WARNING),
            where=spec.collate_ref if spec else None,
            samples=samples_of(bad),
            fields=paths_of(labels, bad, "labels"),
            positions=count,
            padding=padding,
            rows=len(bad),
            of=len(rows),
            row=excerpt(labels, shown, shown.width - shown.right if shown.right else shown.left),
        )  # fmt: skip


def _ignored_by_its_loss(case: Case, labels: LabelsEvidence, bad: Sequence[LabelRow]) -> int | None:
    """Return the pad id where a loss of the user's own may well ignore it.

    Nothing else is ignored, all padding carries the pad id, and the labels are not called as the models of
    transformers, which ignore -100, want them called.
    """
    pad = labels.vocabulary.pad
    groups = [group_of(labels, row) for row in bad]
    free = all(one.ignored is None and (one.labels or "").rpartition(".")[2] != "labels" for one in groups)
    # The first position of a row is no target, whatever stands there.
    whole = all(row.pad_trained >= row.left + row.right - bool(row.left) for row in bad)
    return pad if case.intent.ignore_index is None and free and whole and not labels.foreign else None
