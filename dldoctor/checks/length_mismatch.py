"""DL101 length-mismatch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.failed_samples import failed_for, failed_samples, readable_length
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class LengthMismatch(Check):
    """`len` is not the number of items that can be read.

    ## Why it hurts
    A `len` that is too large makes the loader ask for items that do not exist: training ends with
    an IndexError, often only at the end of an epoch, or at a random step where the order is
    shuffled. For a stream (an IterableDataset) `len` is only a promise: progress bars, schedules
    of the learning rate and the number of steps are computed from it and are wrong.

    ## What to do
    Return from `__len__` what can be read. A dataset that repeats itself must also fold the index:

        def __len__(self):
            return len(self.files) * self.repeat

        def __getitem__(self, index):
            return load(self.files[index % len(self.files)])

    A stream that is split over workers counts what all workers yield together. A stream of unknown
    length should have no `__len__` at all.

    ## When it is wrong
    A stream is judged only if the run reached the end of its epoch. If each of several workers
    yields the whole stream, the count is a multiple of `len` although `len` is right: that is
    reported here as `info` only. What `drop_last` leaves out of the last batch is not counted
    as missing. The number of batches is judged only where a sampler or a loader of your own
    states it.
    """

    rule = "DL101"
    name = "length-mismatch"
    level = Level.ERROR
    needs = ("loader",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge an index by what could be read, a stream by what one whole epoch yielded."""
        spec = case.evidence.loader
        assert spec is not None
        if spec.kind == "map":
            yield from self._map(case.evidence, spec)
        elif spec.kind == "iterable" and spec.dataset_length is not None:
            yield from self._stream(case.evidence, spec, spec.dataset_length)
        elif spec.kind == "batches" and spec.loader_length is not None:
            yield from self._batches(case.evidence, spec)
        else:
            yield not_applicable("neither the stream nor its loader states a length")

    def _map(self, evidence: Evidence, spec: LoaderSpec) -> Iterator[Finding | Unjudged]:
        protocol, length = evidence.protocol, spec.dataset_length
        if length is None:
            why = protocol.length_error if protocol else None
            yield insufficient(f"`len(dataset)` raised {why}" if why else "the dataset has no length")
            return
        end = readable_length(evidence)
        if end is not None and end < length:
            yield self._unreadable(evidence, spec, end, length)
        elif protocol is None and not (evidence.samples and evidence.samples.full_epoch):
            yield insufficient("the last items were not read: the run did not reach them")
        else:
            yield from self._batches(evidence, spec)

    def _unreadable(self, evidence: Evidence, spec: LoaderSpec, end: int, length: int) -> Finding:
        failed = failed_for(evidence, "past-the-end")
        first = evidence.protocol.first_unreadable if evidence.protocol else None
        error = (first.error if first else None) or next((found.error for found in failed), "IndexError")
        where = (first.where if first else None) or next((found.where for found in failed), None)
        later = "" if end == length - 1 else ", and so does every later index that was tried"
        folds = end > 0 and length % end == 0 and length > end
        times = f" ({length} is {length // end} times {end})" if folds else ""
        cure = "Read `index % n` of the n items" if folds else "Return from `__len__` what can be read"
        return self.finding(
            f"`len` says {counted(length, 'item')}, but only {end} can be read{times}: "
            f"index {end} raises {error}{later}",
            advice=f"{cure}, so that every index below `len` gives an item.",
            where=where or spec.dataset_ref,
            samples=sorted({end, *(i for found in failed for i in found.indices)}),
            length=length,
            readable=end,
            first_failing=end,
            error=error,
            seen_failing=sum(found.count for found in failed),
            share=(length - end) / length,
        )

    def _stream(self, evidence: Evidence, spec: LoaderSpec, length: int) -> Iterator[Finding | Unjudged]:
        yielded = evidence.samples.yielded if evidence.samples else None
        if _disturbed(evidence):
            yield insufficient("the stream did not come to its own end: something failed before")
        elif yielded is None:
            yield insufficient("the run ended before the stream did, so its items were not all counted")
        elif yielded != length and yielded not in _shares_of_one_rank(length, spec):
            yield self._miscounted(spec, length, yielded)

    def _miscounted(self, spec: LoaderSpec, length: int, yielded: int) -> Finding:
        workers = spec.num_workers
        copied = workers > 1 and yielded == length * workers
        if copied:
            more = f", {workers} times as many with {workers} workers: each seems to yield the whole stream"
        elif yielded > length:
            more = f", {yielded - length} too many"
        else:
            more = f", {length - yielded} too few"
        return self.finding(
            f"`len` says {counted(length, 'item')}, one epoch yielded {yielded}{more}",
            advice=(
                "Split the stream over the workers by `torch.utils.data.get_worker_info()`."
                if copied
                else "Return from `__len__` what all workers yield together, or remove `__len__`."
            ),
            level=Level.INFO if copied else None,
            where=spec.dataset_ref,
            length=length,
            yielded=yielded,
            num_workers=workers,
            ratio=yielded / length if length else None,
        )

    def _batches(self, evidence: Evidence, spec: LoaderSpec) -> Iterator[Finding | Unjudged]:
        batches = evidence.batches
        promised = spec.loader_length
        whole = batches is not None and batches.full_epoch and not _disturbed(evidence)
        if batches is None or promised is None or not whole:
            if spec.kind == "batches":
                yield insufficient("the run ended before the loader did, so its batches were not all counted")
            return
        change = (batches.more_than_length or 0) - (batches.fewer_than_length or 0)
        if not change or batches.failed or batches.spoiled:
            return
        size = percent(abs(change) / promised) if promised else "all"
        teller = "the loader" if spec.kind == "batches" else "the sampler"
        yield self.finding(
            f"`len` of the loader says {counted(promised, 'batch', 'batches')}, one epoch gave "
            f"{promised + change}, {abs(change)} too {'many' if change > 0 else 'few'} ({size})",
            advice=f"Let `__len__` of {teller} count what one epoch gives; schedules are computed from it.",
            level=None if spec.kind == "batches" else Level.WARNING,  # the data itself is whole
            where=spec.sampler_ref or spec.dataset_ref,
            promised=promised,
            delivered=promised + change,
        )


def _disturbed(evidence: Evidence) -> bool:
    """An epoch in which something failed says nothing about the length."""
    outcome = evidence.outcome
    return bool(
        outcome.deaths
        or outcome.hangs
        or outcome.interrupted
        or failed_samples(evidence)
        or any(failure.stage == "loader" for failure in evidence.failures)
    )


def _shares_of_one_rank(length: int, spec: LoaderSpec) -> tuple[int, ...]:
    """In a distributed job a stream may state the length of the whole and yield one rank's part."""
    if spec.world_size < 2:
        return ()
    return length // spec.world_size, -(-length // spec.world_size)
