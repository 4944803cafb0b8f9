"""DL602 coverage-gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.sharing import (
    KeptBack,
    cause,
    kept_back,
    leaves_out_others,
    repeats_are_meant,
    unexplained,
    unjudged,
)
from dldoctor.checks.phrases import listed
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.coverage import CoverageEvidence, EpochCoverage
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class CoverageGap(Check):
    """Some items are never delivered to any rank.

    ## Why it hurts
    A part of the data is never trained on, or never evaluated, and nothing says so. The usual cause is
    a split that rounds down: `per_worker = n // num_workers` leaves the remainder to nobody.

    ## What to do
    Stripe instead of cutting into blocks: worker `k` of `n` takes `items[k::n]`. For evaluation do not
    drop the last batch.

    ## When it is wrong
    `drop_last` in training leaves out other items each epoch, which is a note here unless it is more
    than the share below; so is any other remainder that is other items in each of two epochs. A sampler that is meant to leave items out is compared with what it gives to
    one process alone; if it leaves out items by chance, declare `--replacement`.
    """

    rule = "DL602"
    name = "coverage-gap"
    level = Level.ERROR
    by = ("check-sharding",)
    needs = ("loader", "coverage")

    dropped_from: float = 0.05
    """Share of the items that `drop_last` may leave out of a training epoch."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by the items that no rank was given in the first epoch."""
        coverage, spec = case.evidence.coverage, case.evidence.loader
        assert coverage is not None
        assert spec is not None
        if (few := _never_drawn(spec)) is not None:
            yield self._unweighted(spec, few)
        elif reason := unjudged(coverage):
            yield insufficient(reason)
        elif meant := repeats_are_meant(case):
            yield not_applicable(meant)
        elif coverage.partial:
            yield insufficient("not every rank delivered its items here")
        elif not coverage.epochs[0].complete:
            yield insufficient("the epoch was cut short")
        else:
            yield from self._judge(case, coverage, coverage.epochs[0])

    def _unweighted(self, spec: LoaderSpec, weights: int) -> Finding:
        length = spec.dataset_length or 0
        return self.finding(
            f"the sampler has {counted(weights, 'weight')} for a dataset of {length}: {length - weights} of "
            f"{length} items, from index {weights} on, are never drawn, in any epoch",
            advice="Give the sampler one weight an item (`weights[label]` of each, where they are by class).",
            # The first part of a dataset may be the training split; weights by class are far fewer.
            level=self.level if 2 * weights < length else Level.WARNING,
            where=spec.order_ref,
            weights=weights,
            never=length - weights,
            items=length,
            share=(length - weights) / length,
        )

    def _judge(self, case: Case, coverage: CoverageEvidence, first: EpochCoverage) -> Iterator[Finding]:
        spec = case.evidence.loader
        assert spec is not None
        processes = coverage.world_size * max(1, spec.num_workers)
        if unexplained(first):
            if cause(case) != "coverage-gap":
                return
            if (kept := kept_back(coverage, processes)) is not None:
                yield self._kept_back(case, coverage, kept, processes)
            elif coverage.beyond_reference:
                yield self._by_chance(case, coverage, first)
            elif leaves_out_others(coverage) or _follows_the_order(coverage, self.dropped_from):
                yield self._in_turn(case, coverage, first)
            else:
                yield self._gap(case, coverage, first)
        elif first.never:
            yield self._dropped(case, coverage, first)
        size = coverage.dataset_size
        if spec.kind == "map" and size is not None and coverage.items < size and coverage.reference_size:
            yield self.finding(
                f"the sampler draws {coverage.items} of {counted(size, 'item')} also for one process alone: "
                "fine if the rest is another split",
                advice="Check that the items left out are meant to be.",
                level=Level.INFO,
                where=spec.order_ref,
                drawn=coverage.items,
                length=size,
            )

    def _gap(self, case: Case, coverage: CoverageEvidence, first: EpochCoverage) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        gap = unexplained(first)
        parts = max(1, spec.num_workers) * coverage.world_size
        rest = coverage.items % parts
        sums = (
            f"; {coverage.items} % {parts} = {rest}, the remainder of a split that rounds down"
            if rest == gap and parts > 1
            else ""
        )
        return self.finding(
            f"{gap} of {counted(coverage.items, 'item')} ({percent(gap / coverage.items)}) are delivered to no "
            f"rank and no worker: {listed(first.missing, gap)}{sums}",
            advice="Stripe the items (`items[k::n]`) instead of cutting them into equal blocks.",
            where=spec.order_ref,
            samples=_numbers(coverage, first),
            missing=list(first.missing),
            never=gap,
            items=coverage.items,
            share=gap / coverage.items,
        )

    def _kept_back(self, case: Case, coverage: CoverageEvidence, kept: KeptBack, processes: int) -> Finding:
        spec, order = case.evidence.loader, coverage.order
        assert spec is not None
        shuffles = order is not None and order.shuffles
        likely = (
            f"a shuffle buffer ({order.why}) that is not emptied at the end" if order is not None and shuffles
            else "a buffer that is not emptied at the end"
        )  # fmt: skip
        return self.finding(
            f"about {kept.lost} of {counted(kept.items, 'item')} ({percent(kept.lost / kept.items)}) are delivered to "
            f"no rank and no worker: each of {counted(processes, 'process', 'processes')} that read keeps about "
            f"{kept.each:.0f} back, and one process alone as well, other items each time: {likely}",
            advice="Yield what is left in the buffer when the stream has ended.",
            where=spec.dataset_ref,
            kept_back_by_each=round(kept.each, 1),
            never=kept.lost,
            items=kept.items,
            processes=processes,
            missing=list(coverage.epochs[0].missing),
            share=kept.lost / kept.items,
        )

    def _by_chance(self, case: Case, coverage: CoverageEvidence, first: EpochCoverage) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        return self.finding(
            f"which items an epoch delivers is left to chance: {first.distinct} come here and {coverage.items} from one "
            f"process alone, {coverage.beyond_reference} of the first not among the second: fine if the data is "
            "sampled on purpose",
            advice="Check that items are meant to be left out at random.",
            level=Level.INFO,
            where=spec.dataset_ref,
            delivered=first.distinct,
            alone=coverage.items,
            beyond=coverage.beyond_reference,
        )

    def _in_turn(self, case: Case, coverage: CoverageEvidence, first: EpochCoverage) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        gap = unexplained(first)
        share = gap / coverage.items
        which = (
            f"other ones in each ({coverage.never_in_any} in none of {len(coverage.epochs)})"
            if leaves_out_others(coverage)
            else "the same ones in each as long as the order stays the same"
        )
        level = Level.WARNING if share > self.dropped_from else Level.INFO
        if case.intent.role in ("eval", "generate"):
            level = Level.ERROR
        return self.finding(
            f"{gap} of {counted(coverage.items, 'item')} ({percent(share)}) are left out of an epoch, {which}",
            advice="Deliver the remainder as well where every item counts, as in evaluation.",
            level=level,
            where=spec.order_ref,
            samples=_numbers(coverage, first),
            missing=list(first.missing),
            never=gap,
            never_in_any=coverage.never_in_any,
            items=coverage.items,
            share=share,
        )

    def _dropped(self, case: Case, coverage: CoverageEvidence, first: EpochCoverage) -> Finding:
        spec = case.evidence.loader
        assert spec is not None
        share = first.never / coverage.items
        level = Level.WARNING if share > self.dropped_from else Level.INFO
        if case.intent.role in ("eval", "generate"):
            level = Level.ERROR
        ways = []
        if first.dropped:
            each = " of each worker" if spec.kind == "iterable" and spec.num_workers > 1 else ""
            ways.append(f"{first.dropped} by `drop_last`{each}")
        if first.cut_by_sampler:
            ways.append(f"{first.cut_by_sampler} by the sampler, to even out {coverage.world_size} ranks")
        undeclared = case.intent.role is None and not spec.shuffle and spec.kind == "map"
        reading = "; for evaluation they would be missing from the metric" if undeclared else ""
        return self.finding(
            f"{first.never} of {counted(coverage.items, 'item')} ({percent(share)}) are left out of an epoch: "
            f"{listed(ways)}{reading}",
            advice="Keep the last batch where every item counts (`drop_last=False`).",
            level=level,
            # `drop_last` is a setting of the loader, also where it reads a stream.
            where=spec.sampler_ref or spec.made_ref,
            samples=_numbers(coverage, first),
            never=first.never,
            dropped=first.dropped,
            cut_by_sampler=first.cut_by_sampler,
            items=coverage.items,
            share=share,
        )


def _never_drawn(spec: LoaderSpec) -> int | None:
    """Return how many weights the sampler has, where these are too few for the dataset."""
    weights, length = spec.sampler_weights, spec.dataset_length
    return weights if weights is not None and length is not None and weights < length else None


def _follows_the_order(coverage: CoverageEvidence, small: float) -> bool:
    """Whether a small remainder is the same in each epoch because the shuffle is (DL606 tells that)."""
    order, first = coverage.order, coverage.epochs[0]
    same = order is not None and order.same is True and order.shuffles is True
    return same and unexplained(first) <= small * coverage.items


def _numbers(coverage: CoverageEvidence, first: EpochCoverage) -> tuple[int, ...]:
    return tuple(int(item) for item in first.missing) if coverage.by == "index" else ()
