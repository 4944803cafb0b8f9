"""DL309 pad-attended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import excerpt, first_shown, labels_of, paths_of, samples_of, sure
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PadAttended(Check):
    """The attention mask is on where there is only padding.

    ## Why it hurts
    Tokens attend to padding, and results depend on how long the other texts of the batch are. With padding
    before the text every token is affected.

    ## What to do
    Give the mask 0 where the text has ended: build it from lengths, and pad it with 0.

    ## When it is wrong
    A pad id that is a real token inside a text is not reported. With padding behind the text of a causal
    model only the padded positions themselves see it; the finding is then a warning.
    """

    rule: ClassVar[str] = "DL309"
    name: ClassVar[str] = "pad-attended"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the mask with the padding."""
        labels = labels_of(case)
        rows = [row for row in labels.rows if labels.groups[row.group].mask]
        if not rows:
            yield not_applicable("the batches have no attention mask")
            return
        bad = [row for row in rows if row.attended]
        if not bad:
            return
        count, padding = sum(row.attended for row in bad), sum(row.left + row.right for row in bad)
        shown, spec = first_shown(labels, bad), case.evidence.loader
        at = shown.width - shown.right if shown.right else shown.left
        # Behind a causal text nobody looks back from padding; before it, or in packs, everybody does.
        harmless = all(row.left == 0 for row in bad) and case.intent.task not in (
            "mlm",
            "seq2seq",
            "classification",
        )
        # Another rule tells the cause: labels of padding, or a mask that is wrong on both sides.
        told_there = any(row.pad_trained for row in bad) or any(row.hidden for row in bad)
        yield self.finding(
            f"the mask is 1 on {count} of {counted(padding, 'padded position')} in {counted(len(bad), 'row')} "
            f"of {len(rows)}"
            + ("; they stand behind the text, where a causal model ignores them" if harmless else ""),
            advice="Pad the attention mask with 0.",
            level=sure(labels, bad, Level.INFO if told_there else Level.WARNING if harmless else self.level),
            where=spec.collate_ref if spec else None,
            samples=samples_of(bad),
            fields=paths_of(labels, bad, "mask"),
            positions=count,
            rows=len(bad),
            of=len(rows),
            row=excerpt(labels, shown, at, 4, 4),
        )
