"""DL217 modality-imbalance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import rarest_first, tally_facts
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.distribution import Tally
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ModalityImbalance(Check):
    """Of several combinations of modalities one makes up almost all samples.

    ## Why it hurts
    What is rare is hardly trained: a model that sees one sound in a thousand texts does not learn to listen. A
    batch of a rare kind is also slower or larger than the others, and on several ranks all wait for it.

    ## What to do
    Look whether parts got lost on the way (files not found, a filter). If the mixture is what was collected, draw
    the rare combinations more often (`WeightedRandomSampler`), or group batches by combination.

    ## When it is wrong
    It is a note: most data sets are uneven on purpose. A modality is there if its field is not None, not empty and
    not of one single value, as of a black picture that stands for none. Names, ids and single words are no text.
    """

    rule = "DL217"
    name = "modality-imbalance"
    level = Level.INFO
    needs = ("samples",)

    dominates: float = 0.8
    """Share of one combination from which on it is told."""
    least: int = 32
    """Samples that must have been read."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare how often each combination was read."""
        samples = case.evidence.samples
        assert samples is not None
        found = samples.modalities
        if len(found) < 2:
            yield not_applicable("all samples hold the same modalities")
            return
        total = sum(one.count for one in found)
        if total < self.least:
            yield insufficient(f"{counted(total, 'sample')} were read, fewer than {self.least}")
            return
        most = max(found, key=lambda one: one.count)
        if most.count < self.dominates * total:
            return
        others = [one for one in rarest_first(found) if one is not most and not _dropped(case, one)]
        if not others:
            return  # what the others lack is dropped at random
        told = ", ".join(f"{one.value} {percent(one.count / total)}" for one in reversed(others[:4]))
        yield self.finding(
            f"{most.count} of {total} samples ({percent(most.count / total)}) hold {most.value}; {told}",
            advice="Draw the rare combinations more often, if the model is to learn them.",
            where=case.evidence.loader.dataset_ref if case.evidence.loader else None,
            samples=[one for tally in others for one in tally.examples],
            shares={one.value: one.count / total for one in found},
            combinations=tally_facts(found),
        )


def _dropped(case: Case, rare: Tally) -> bool:
    """Whether samples that lack a part hold it with other random numbers: it is dropped, not missing."""
    emptied = case.evidence.protocol.emptied if case.evidence.protocol else ()
    read = {index for one in emptied for index in one.read} & set(rare.examples)
    filled = {index for one in emptied for index in one.filled}
    return bool(read) and read <= filled
