"""Why reading a sample failed: decided once for all rules that speak of it.

::

    past-the-end         IndexError below the length, and for every later index too   DL101
    silent-stop          it ends a loop quietly: StopIteration, or an IndexError of
                         the user's own code with readable items after it             DL104
    replacement-ran-out  the last link of a chain that replaces failing samples       DL114
    raised               any other exception                                          DL105
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from dldoctor.evidence import Evidence
from dldoctor.evidence.outcome import Failure
from dldoctor.finding import SampleId, SourceRef

Cause = Literal["past-the-end", "silent-stop", "replacement-ran-out", "raised"]


@dataclass(frozen=True)
class FailedSamples:
    """Samples that failed with one kind of exception at one place, for one cause."""

    cause: Cause
    kind: str
    error: str
    where: SourceRef | None
    samples: tuple[SampleId, ...]
    """The samples that are known, in the order in which they failed."""
    count: int
    """Failures in the loader's run; where it had none, failures of direct reads."""
    in_loader: bool
    """The loader's own run met it."""
    batch: int | None = None
    """The first batch that it struck."""

    @property
    def indices(self) -> tuple[int, ...]:
        """The samples that have an index."""
        return tuple(sample for sample in self.samples if isinstance(sample, int))


def failed_samples(evidence: Evidence) -> tuple[FailedSamples, ...]:
    """Return all failing samples, one entry a kind, place and cause."""
    end = readable_length(evidence)
    return tuple(part for group in _groups(evidence) for part in _classify(evidence, group, end))


def failed_for(evidence: Evidence, cause: Cause) -> tuple[FailedSamples, ...]:
    """Return the failing samples of one cause."""
    return tuple(found for found in failed_samples(evidence) if found.cause == cause)


def readable_length(evidence: Evidence) -> int | None:
    """Return how many items can be read before every later index raises IndexError.

    None where the last index can be read, or where the end is not an end: the user's code raises
    for every index, or a chain of replacements ran over the last item.
    """
    protocol = evidence.protocol
    if protocol is None:
        return _readable_in_run(evidence)
    first = protocol.first_unreadable
    if protocol.readable is None or (first is not None and first.retried):
        return None
    if protocol.readable == 0 and first is not None and first.raised_by_user:
        return None
    return protocol.readable


def _readable_in_run(evidence: Evidence) -> int | None:
    """Return the same from a run of the loader in which the whole tail was seen to fail."""
    spec = evidence.loader
    if spec is None or spec.kind != "map" or not spec.dataset_length:
        return None
    errors = [f for f in _sample_failures(evidence) if f.kind == "IndexError" and not f.retried]
    known = {sample for f in errors for sample in f.samples if isinstance(sample, int)}
    low = min(known, default=0)
    whole_tail = sum(f.count for f in errors) == spec.dataset_length - low
    inside = all(index < spec.dataset_length for index in known)
    return low if known and low > 0 and whole_tail and inside else None


def _sample_failures(evidence: Evidence) -> Iterator[Failure]:
    """Yield failures of promised samples; a direct read beyond the length is no failure."""
    length = evidence.loader.dataset_length if evidence.loader else None
    for failure in evidence.failures:
        if failure.stage != "sample":
            continue
        if failure.phase != "loader" and isinstance(failure.id, int):
            promised = tuple(
                sample
                for sample in (failure.samples or (failure.id,))
                if isinstance(sample, int) and sample >= 0 and (length is None or sample < length)
            )
            if promised:
                yield replace(failure, id=promised[0], samples=promised)
            continue
        yield failure


def _groups(evidence: Evidence) -> Iterator[tuple[Failure, ...]]:
    """Put failures of one kind and place together, whichever probe met them."""
    groups: dict[tuple[str, str, bool], list[Failure]] = {}
    for failure in _sample_failures(evidence):
        place = str(failure.where) if failure.where else failure.error
        groups.setdefault((failure.kind, place, failure.retried), []).append(failure)
    yield from (tuple(group) for group in groups.values())


def _classify(evidence: Evidence, group: tuple[Failure, ...], end: int | None) -> Iterator[FailedSamples]:
    first, spec = group[0], evidence.loader
    whole = _as_raised(group)
    if spec is None or spec.kind != "map":
        yield whole
    elif first.kind == "StopIteration":
        yield replace(whole, cause="silent-stop")
    elif _ran_out(evidence, first):
        yield replace(whole, cause="replacement-ran-out")
    elif first.kind == "IndexError":
        between: Cause = "silent-stop" if _ends_plain_loop(evidence, first) else "raised"
        yield from _split_at(whole, end, spec.dataset_length, between)
    else:
        yield whole


def _as_raised(group: tuple[Failure, ...]) -> FailedSamples:
    first = group[0]
    loader = [failure for failure in group if failure.phase == "loader"]
    samples = _unique(sample for f in group for sample in (f.samples or (f.id,)) if sample is not None)
    batches = [failure.batch for failure in group if failure.batch is not None]
    return FailedSamples(
        cause="raised",
        kind=first.kind,
        error=first.error,
        where=first.where,
        samples=samples,
        count=sum(failure.count for failure in loader or group),
        in_loader=bool(loader),
        batch=min(batches, default=None),
    )


def _split_at(
    whole: FailedSamples, end: int | None, length: int | None, between: Cause
) -> Iterator[FailedSamples]:
    """Tell the indices past the readable end from those before it; what is not known goes to the larger."""
    stop = float("inf") if length is None else length
    past = tuple(i for i in whole.indices if end is not None and end <= i < stop)
    rest = tuple(sample for sample in whole.samples if sample not in past)
    beyond = not isinstance(rest[0], int) or rest[0] >= stop if rest else False
    other: Cause = "raised" if beyond else between
    unknown = max(0, whole.count - len(past) - len(rest))
    if past:
        more = unknown if len(past) >= len(rest) else 0
        yield replace(whole, cause="past-the-end", samples=past, count=len(past) + more)
    if rest or not past:
        more = unknown if len(rest) > len(past) or not past else 0
        yield replace(whole, cause=other, samples=rest, count=len(rest) + more)


def _ran_out(evidence: Evidence, failure: Failure) -> bool:
    if failure.kind not in ("IndexError", "RecursionError"):
        return False
    replaced = bool(evidence.protocol and evidence.protocol.substituted) or bool(
        evidence.samples and evidence.samples.substituted_count
    )
    return failure.retried or (failure.kind == "RecursionError" and replaced)


def _ends_plain_loop(evidence: Evidence, failure: Failure) -> bool:
    """Tell whether ``for x in dataset`` takes this IndexError for the end of the data."""
    protocol = evidence.protocol
    if protocol is None or not failure.raised_by_user:
        return False
    if protocol.iterates_by_index is not None:
        return protocol.iterates_by_index
    return protocol.plain_iteration_stops_at is not None


def _unique(samples: Iterable[SampleId]) -> tuple[SampleId, ...]:
    return tuple(dict.fromkeys(samples))
