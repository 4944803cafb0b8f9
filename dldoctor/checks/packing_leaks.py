"""DL322 packing-leaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import labels_of, samples_of
from dldoctor.checks.causes.packing import Pack, documents_in, level_of, packs_of
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class PackingLeaks(Check):
    """A token can attend to another document of its pack.

    ## Why it hurts
    Answers are learned with the text of strangers before them. In one report the loss was 37.6 packed and
    44.1 apart.

    ## What to do
    Give each document its own block in the mask, or positions that begin anew without a mask (and an
    attention that goes by them).

    ## When it is wrong
    In pretraining it is a common choice: declare `--task pretrain` or `--allow-cross-document`. With
    `--model FILE:NAME` the leak is measured; without, only a block mask proves one. Windows of a running text,
    in which end tokens alone part the documents, are judged by what is declared.
    """

    rule: ClassVar[str] = "DL322"
    name: ClassVar[str] = "packing-leaks"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    noise: float = 1e-5
    """Change of a logit that rounding explains."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look at the mask block by block, and at the model's answer where one was tried."""
        packs = packs_of(case)
        if not packs:
            yield not_applicable("no row holds several documents that can be told apart")
            return
        leak = labels_of(case).leak
        for pack in packs:
            bad = tuple(row for row in pack.rows if row.leaks)
            if bad:
                blocked = sum(row.leaks for row in bad)
                message = (
                    f"the block mask lets {blocked} of {counted(documents_in(bad), 'document')} attend to another one, "
                    f"in {counted(len(bad), 'row')}"
                )
                yield self._report(case, pack, message, self._proven(case, pack), {"leaking": blocked})
            elif leak is not None and leak.change > self.noise:
                if pack.isolation == "defeated":
                    continue  # DL323 tells the cause
                message = (
                    f"changing the documents before it changes the logits of the last of {leak.documents} documents by "
                    f"{leak.change:.4f} (tiny copy of {leak.model}, {leak.attention or 'own'} attention)"
                )
                yield self._report(case, pack, message, self._proven(case, pack), {"change": leak.change})
            elif pack.isolation == "none" and leak is None:
                by = " (told by end tokens)" if pack.group.documents_by == "eos" else ""
                message = (
                    f"nothing keeps the {counted(documents_in(pack.rows), 'document')}{by} of "
                    f"{counted(len(pack.rows), 'packed row')} apart: no block mask, no cumulative lengths, and "
                    "positions that do not begin anew"
                )
                yield self._report(case, pack, message, level_of(case, Level.WARNING), {})

    def _proven(self, case: Case, pack: Pack) -> Level:
        if pack.group.documents_by == "eos":  # that documents were to be kept apart is not said anywhere
            return level_of(case, self.level)
        return (
            Level.INFO if case.intent.task == "pretrain" or case.intent.allow_cross_document else self.level
        )

    def _report(
        self, case: Case, pack: Pack, message: str, level: Level, facts: dict[str, object]
    ) -> Finding:
        spec = case.evidence.loader
        usual = "; usual in pretraining, and otherwise answers see strangers" if level is Level.INFO else ""
        return self.finding(
            message + usual,
            advice="Give each document its own block in the attention mask, or positions that begin anew and no mask.",
            level=level if pack.group.certain else Level.INFO,
            where=spec.collate_ref if spec else None,
            samples=samples_of(pack.rows),
            fields=[path for path in (pack.group.mask, pack.group.tokens) if path],
            documents=documents_in(pack.rows),
            rows=len(pack.rows),
            documents_by=pack.group.documents_by,
            **facts,
        )
