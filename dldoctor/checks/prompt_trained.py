"""DL304 prompt-trained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import causal_rows, labels_of, paths_of, samples_of, sure
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PromptTrained(Check):
    """Tokens are targets that should only be read: of the user or the system, or of earlier answers.

    ## Why it hurts
    The model learns to write the user's part. In one public chat model the score fell from 0.355 to 0.315
    when a rewrite lost the mask. Earlier answers, where a template takes their reasoning out, teach to
    answer without it.

    ## What to do
    Set the labels of everything but the answers to -100, and carry that mask through packing and collate.

    ## When it is wrong
    Training on whole conversations is a legitimate choice, and usual in pretraining; it is a finding only
    with `--completion-only`. So are earlier answers, with `--last-turn-only`. Where neither is declared
    and only the last answers of conversations are trained, that is a note: it may be meant, or may lose
    the earlier ones.
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
        elif talks := [row for row in rows if row.answers >= 2]:
            yield from self._of_answers(case, talks)

    def _of_answers(self, case: Case, talks: list[LabelRow]) -> Iterator[Finding]:
        """Judge conversations of several answers by which of these are trained."""
        labels, spec = labels_of(case), case.evidence.loader
        declared = case.intent.last_turn_only
        more = [row for row in talks if row.answers_trained > 1]
        if declared and not more:
            return
        if not declared and (more or not all(row.last_answer_trained for row in talks)):
            return
        told = more if declared else talks
        answers = sum(row.answers for row in told)
        trained = sum(row.answers_trained for row in told)
        yield self.finding(
            f"{trained} of {answers} answers are trained in {counted(len(told), 'conversation')} of several answers, "
            + ("although only the last ones should be" if declared else
               "the last of each; right where only it should be (say `--last-turn-only`), otherwise the earlier "
               "ones are lost"),
            advice="Set the labels of all answers but the last to -100." if declared
            else "Declare `--last-turn-only`, or let the mask leave every answer of a conversation in.",
            level=sure(labels, told, self.level) if declared else Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=samples_of(told),
            fields=paths_of(labels, told, "labels"),
            rows=len(told),
            answers=answers,
            answers_trained=trained,
        )  # fmt: skip

    def _report(self, case: Case, rows: list, shares: str) -> Finding:  # type: ignore[type-arg]
        labels, spec = labels_of(case), case.evidence.loader
        declared = case.intent.completion_only or case.intent.last_turn_only
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
