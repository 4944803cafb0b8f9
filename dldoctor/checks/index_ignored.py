"""DL115 index-ignored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.other_item import index_decides_nothing, other_item, seed_decides_all
from dldoctor.checks.wording import counted
from dldoctor.evidence import Evidence
from dldoctor.evidence.protocol import Scatter
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class IndexIgnored(Check):
    """The index does not decide which item comes back.

    ## Why it hurts
    If `__getitem__` draws an item at random, an epoch of n reads meets only about 63% of n items,
    some of them several times, and another part each epoch. Samplers lose their meaning: a
    weighted sampler does not weight, a DistributedSampler does not split, and an evaluation is not
    repeatable.

    ## What to do
    Use the index, and leave the drawing to the sampler:

        def __getitem__(self, index):
            return self.items[index]

        loader = DataLoader(dataset, shuffle=True)

    ## When it is wrong
    Where repeats are meant: declare `--replacement`. Random augmentation of one and the same item is
    not reported. Random windows of one long text or recording, which no index names, are `info`.
    """

    rule = "DL115"
    name = "index-ignored"
    level = Level.WARNING
    needs = ("loader", "protocol")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge from several reads of several indices."""
        spec, protocol = case.evidence.loader, case.evidence.protocol
        assert spec is not None
        assert protocol is not None
        scatter = protocol.scatter
        if spec.kind != "map":
            yield not_applicable("a stream has no index")
        elif case.intent.replacement:
            yield not_applicable("repeats are declared")
        elif scatter is None or scatter.indices < 2 or scatter.reads < 2:
            yield insufficient("too few items could be read twice")
        elif index_decides_nothing(case.evidence):
            if other_item(case.evidence) == "index-ignored":
                yield self._ignored(case.evidence, scatter)
        elif seed_decides_all(case.evidence) and other_item(case.evidence) is None:
            yield self._drawn(case.evidence, scatter)

    def _ignored(self, evidence: Evidence, scatter: Scatter) -> Finding:
        return self._finding(
            evidence,
            scatter,
            f"{scatter.varying} of {counted(scatter.indices, 'index', 'indices')} gave different items "
            f"when read {scatter.reads} times{_example(scatter)}",
            self.level,
        )

    def _drawn(self, evidence: Evidence, scatter: Scatter) -> Finding:
        return self._finding(
            evidence,
            scatter,
            f"random numbers alone decide what comes back: {counted(scatter.seeded, 'index', 'indices')} from all over "
            "the dataset gave one and the same content with equal random numbers, and another with others. Fine for random windows of one text or "
            "recording (declare `--replacement`); otherwise the index is ignored",
            Level.INFO,
        )

    def _finding(self, evidence: Evidence, scatter: Scatter, message: str, level: Level) -> Finding:
        assert evidence.loader is not None
        distinct = _distinct_in_epoch(evidence)
        epoch: dict[str, Any] = {} if distinct is None else {"distinct_in_epoch": distinct}
        seen = (
            ""
            if distinct is None
            else f"; one epoch met {distinct} of {evidence.loader.dataset_length} items"
        )
        return self.finding(
            message + seen,
            advice="Return the item of the index, and let the sampler draw at random (`shuffle=True`).",
            level=level,
            where=evidence.loader.dataset_ref,
            samples=() if scatter.example is None else (scatter.example,),
            length=evidence.loader.dataset_length,
            indices=scatter.indices,
            reads=scatter.reads,
            varying=scatter.varying,
            crossed=scatter.crossed,
            distinct=scatter.distinct,
            by=scatter.by,
            values=list(scatter.values),
            **epoch,
        )


def _example(scatter: Scatter) -> str:
    if scatter.example is None or not scatter.values:
        return ""
    return f": index {scatter.example} gave {', '.join(scatter.values[:4])}"


def _distinct_in_epoch(evidence: Evidence) -> int | None:
    """Return how many items a whole epoch met, where the dataset names its items."""
    samples = evidence.samples
    if samples is None or not samples.full_epoch or samples.own_id_field is None:
        return None
    field = evidence.sample_field(samples.own_id_field)
    return field.distinct if field is not None else None
