"""DL503 not-reproducible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.phrases import listed
from dldoctor.evidence.workers import ReproductionEvidence
from dldoctor.finding import Finding, Level, Unjudged

_BECAUSE = {
    "hash seed": "the order of a set or of `hash()` of texts decides: with one PYTHONHASHSEED both runs are equal",
    "entropy": "a generator seeds itself from the system: with that held still both runs are equal",
    "clock": "the time of day gets into the data: with the clock held still both runs are equal",
    "order of completion": "the batches are the same, in the order in which they were ready",
    "workers": "without workers both runs are equal",
    "unknown": "neither the hash seed, nor seeds from the system, nor the clock, nor the workers explain it",
}
_ADVICE = {
    "hash seed": "Sort what comes out of a set, and use `zlib.crc32` or `hashlib` instead of `hash()`.",
    "entropy": "Seed that generator from `torch.initial_seed()` instead of leaving it without a seed.",
    "clock": "Take the seed or the value from something else than the time.",
    "order of completion": "Sort by index, or keep `in_order=True`, where runs must repeat.",
    "workers": "Look for state that workers share, and for threads that finish in any order.",
    "unknown": "Look for threads, process ids, temporary names, file listings that are not sorted, and the network.",
}


@dataclass(frozen=True)
class NotReproducible(Check):
    """Two runs with the same seed deliver different data.

    ## Why it hurts
    An experiment cannot be repeated, a crash cannot be brought back, and two variants cannot be compared:
    their data differ too.

    ## What to do
    The finding names the source where holding it still made two runs equal. Seed every generator from
    `torch.initial_seed()`; sort `os.listdir`, `glob` and sets; keep the clock and process ids out of seeds.

    ## When it is wrong
    Both runs are fresh processes in which `random`, numpy and torch were seeded alike before your file
    was imported. If you never ask for repeatable runs, ignore this rule. `in_order=False` gives up
    repeatable order by design, and is `info`.
    """

    rule = "DL503"
    name = "not-reproducible"
    level = Level.WARNING
    by = ("check-workers",)
    needs = ("loader", "reproduction")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the first batch that differs."""
        measured, spec = case.evidence.reproduction, case.evidence.loader
        assert measured is not None
        assert spec is not None
        if measured.failed:
            yield insufficient(f"a fresh run of the target failed: {measured.failed}")
            return
        if not measured.batches:
            yield insufficient("there was no batch to compare")
            return
        if measured.difference is not None:
            yield self._differs(case, measured)

    def _differs(self, case: Case, measured: ReproductionEvidence) -> Finding:
        spec, difference = case.evidence.loader, measured.difference
        assert spec is not None
        assert difference is not None
        source = measured.source or "unknown"
        by_design = source == "order of completion" and not measured.in_order
        fields = listed([f"`{path}`" for path in difference.paths], shown=3)
        return self.finding(
            f"two runs with seed {measured.seed} differ from batch {difference.batch} of {measured.batches} on"
            f" (in {fields}): {_BECAUSE[source]}",
            advice=_ADVICE[source],
            level=Level.INFO if by_design else Level.WARNING,
            where=spec.dataset_ref,
            batch=difference.batch,
            batches=measured.batches,
            fields=list(difference.paths),
            source=source,
            held_still=list(measured.tried),
            seed=measured.seed,
            in_order=measured.in_order,
        )
