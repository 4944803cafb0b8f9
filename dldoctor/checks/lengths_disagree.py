"""DL316 lengths-disagree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import labels_of
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class LengthsDisagree(Check):
    """Token ids, mask, labels or positions of one text differ in length.

    ## Why it hurts
    Padding hides it: the collate brings all fields to one width, and from there on labels or mask belong to
    other tokens than those that they stand beside.

    ## What to do
    Cut and extend all fields of a text together; usually one of them lacks the end token or the truncation.

    ## When it is wrong
    Encoder-decoder batches, whose labels are another text, are not reported, nor are masks of sound.
    """

    rule: ClassVar[str] = "DL316"
    name: ClassVar[str] = "lengths-disagree"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look at the lengths that differ within a sample or batch."""
        labels = labels_of(case)
        if case.intent.task in ("seq2seq", "asr", "contrastive") or all(one.decoder for one in labels.groups):
            yield not_applicable("input and labels are texts of their own")
            return
        if not labels.apart:
            return
        first, spec = labels.apart[0], case.evidence.loader
        of_samples = first.stage == "sample"
        noun = counted(
            labels.apart_count, "sample" if of_samples else "batch", None if of_samples else "batches"
        )
        told = ", ".join(f"`{path}` {length}" for path, length in first.lengths.items())
        certain = all(group.certain for group in labels.groups)
        of = labels.samples if of_samples else labels.batches
        bounds = first.stage == "bounds"
        if bounds:
            (tokens, held), (path, end) = first.lengths.items()
            message = f"the cumulative lengths in `{path}` end at {end}, and `{tokens}` holds {held} tokens, in {noun} of {of}"
        else:
            message = f"fields of one text differ in length in {noun} of {of}: {told}"
        yield self.finding(
            message + (f" in sample {first.sample}" if of_samples and first.sample is not None else ""),
            advice="Count each token of a document, special ones too, before its length is added up."
            if bounds
            else "Cut, extend and pad all fields of a text together.",
            level=self.level if certain else Level.INFO,
            where=None if spec is None else spec.dataset_ref if of_samples else spec.collate_ref,
            samples=list(dict.fromkeys(one.sample for one in labels.apart if one.sample is not None)),
            lengths=first.lengths,
            count=labels.apart_count,
        )
