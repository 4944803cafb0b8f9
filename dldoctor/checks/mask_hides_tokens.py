"""DL308 mask-hides-tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import excerpt, first_shown, labels_of, paths_of, samples_of, sure
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class MaskHidesTokens(Check):
    """The attention mask is off on real tokens.

    ## Why it hurts
    The model does not see them. The usual cause is a mask made by comparing ids with the pad id, where the pad
    id is the end token too: every end token inside a text is hidden, and its last one is never learned. Where
    it is compared with another id than that of padding, a start token may be hidden, and the padding is seen.

    ## What to do
    Build the mask from the lengths of the texts, not from their ids.

    ## When it is wrong
    Tokens that are hidden on purpose (dropped words as an augmentation).
    """

    rule: ClassVar[str] = "DL308"
    name: ClassVar[str] = "mask-hides-tokens"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the mask with the real tokens."""
        labels = labels_of(case)
        rows = [row for row in labels.rows if labels.groups[row.group].mask]
        if not rows:
            yield not_applicable("the batches have no attention mask")
            return
        bad = [row for row in rows if row.hidden]
        if not bad:
            return
        count, words, spec = sum(row.hidden for row in bad), labels.vocabulary, case.evidence.loader
        shown = first_shown(labels, bad)
        untaught = sum(row.trained > 0 and row.eos_trained == 0 and row.eos > 0 for row in bad)
        same = words.pad is not None and words.pad == words.eos
        shown_padding = sum(row.attended for row in bad)
        yield self.finding(
            f"the mask is 0 on {counted(count, 'real token')} in {counted(len(bad), 'row')} of {len(rows)}"
            + (
                f"; pad id and end token are both {words.pad}, and the mask seems made from the id"
                if same
                else ""
            )
            + (
                f", and 1 on {counted(shown_padding, 'padded position')}; it seems made from another id than that of padding"
                if shown_padding
                else ""
            )
            + (f"; {untaught} of these rows train no end token" if untaught else ""),
            advice="Build the mask from the lengths of the texts, not by comparing ids with the pad id.",
            level=sure(labels, bad, self.level),
            where=spec.collate_ref if spec else None,
            samples=samples_of(bad),
            fields=paths_of(labels, bad, "mask"),
            tokens=count,
            rows=len(bad),
            of=len(rows),
            first_position=shown.hidden_at,
            row=excerpt(labels, shown, shown.hidden_at, 4, 4),
        )
