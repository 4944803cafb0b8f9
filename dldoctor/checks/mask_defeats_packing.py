"""DL323 mask-defeats-packing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import labels_of, samples_of
from dldoctor.checks.causes.packing import documents_in, packs_of
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class MaskDefeatsPacking(Check):
    """A plain attention mask stands beside positions that begin anew, and switches their meaning off.

    ## Why it hurts
    Models of the transformers library find the documents of a pack by their positions only where no mask is
    given. With a mask of ones, eager and sdpa attention span the whole pack.

    ## What to do
    Leave the attention mask out of packed batches.

    ## When it is wrong
    Flash attention of variable length goes by the positions all the same: declare `--attn flash`.
    """

    rule: ClassVar[str] = "DL323"
    name: ClassVar[str] = "mask-defeats-packing"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look for masks of ones beside restarts."""
        packs = packs_of(case)
        if not packs:
            yield not_applicable("no row holds several documents that can be told apart")
            return
        leak = labels_of(case).leak
        for pack in packs:
            if pack.isolation != "defeated":
                continue
            tried = (
                f"; changing one document changes the next one's logits by {leak.change:.4f}" if leak else ""
            )
            isolated = leak is not None and leak.change < 1e-5
            spec = case.evidence.loader
            declared = case.intent.task == "pretrain" or case.intent.allow_cross_document
            yield self.finding(
                f"`{pack.group.positions}` begins anew {counted(sum(row.restarts for row in pack.rows), 'time')} in "
                f"{counted(len(pack.rows), 'packed row')}, and `{pack.group.mask}` is on for all of their tokens: with "
                f"eager or sdpa attention the {documents_in(pack.rows)} documents see one another{tried}",
                advice="Leave the attention mask out of packed batches (or declare `--attn flash`).",
                level=Level.INFO if declared or isolated or not pack.group.certain else self.level,
                where=spec.collate_ref if spec else None,
                samples=samples_of(pack.rows),
                fields=[pack.group.positions, pack.group.mask],
                documents=documents_in(pack.rows),
                rows=len(pack.rows),
            )
