"""DL304 prompt-trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import causal_rows, labels_of, paths_of, samples_of, sure
from dldoctor.checks.wording import counted, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PromptTrained(Check):
    """Tokens of the user or the system are targets although only answers should be.

    ## Why it hurts
    The model learns to write the user's part. In one public chat model the score fell from 0.355 to 0.315
    when a rewrite lost the mask.

    ## What to do
    Set the labels of everything but the answers to -100, and carry that mask through packing and collate.

    ## When it is wrong
    Training on whole conversations is a legitimate choice, and usual in pretraining; it is a finding only
    with `--completion-only`.
    """

    rule: ClassVar[str] = "DL304"
    name: ClassVar[str] = "prompt-trained"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look at the beginning of the rows, and at who speaks where roles have tokens."""
        labels = labels_of(case)
        rows = [row for row in causal_rows(labels) if row.trained and not labels.groups[row.group].decoder]
        if not rows:
            yield not_applicable("no row has labels of text that are trained")
            return
        if case.intent.task == "pretrain":
            yield not_applicable("the task is pretraining")
            return
        whole = [row for row in rows if row.first <= row.left + 1 and row.late < 0]
        spoken = {name: pair for name, pair in labels.turns.items() if name in ("user", "system") and pair[0]}
        others = sum(trained for _, trained in spoken.values())
        # A few stray tokens (a line break after a turn) are no trained prompt.
        by_role = others > 0.02 * sum(total for total, _ in spoken.values()) if spoken else False
        if by_role:
            yield self._report(case, rows, ", ".join(
                f"{name} {percent(trained / total)}" for name, (total, trained) in labels.turns.items() if total
            ))  # fmt: skip
        elif whole and not spoken:
            share = sum(row.trained for row in rows) / max(1, sum(row.real for row in rows))
            yield self._report(case, whole, f"{percent(share)} of all real tokens, from the first on")

    def _report(self, case: Case, rows: list, shares: str) -> Finding:  # type: ignore[type-arg]
        labels, spec = labels_of(case), case.evidence.loader
        declared = case.intent.completion_only
        end = "although only answers should be" if declared else (
            "right where whole texts are learned; if only answers should be, say `--completion-only`"
        )  # fmt: skip
        return self.finding(
            f"the prompt is trained in {counted(len(rows), 'row')} (trained: {shares}); {end}",
            advice="Set the labels of everything but the answers to -100." if declared
            else "Declare `--completion-only` or `--task pretrain`, so that this can be judged.",
            level=sure(labels, rows, self.level) if declared else Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=samples_of(rows),
            fields=paths_of(labels, rows, "labels"),
            rows=len(rows),
            trained={name: {"tokens": total, "trained": trained} for name, (total, trained) in labels.turns.items()},
        )  # fmt: skip
