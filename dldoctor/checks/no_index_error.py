"""DL102 no-index-error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.failed_samples import failed_for
from dldoctor.checks.causes.other_item import other_item
from dldoctor.evidence.protocol import ProtocolEvidence, Reading
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class NoIndexError(Check):
    """The index just past the end does not raise IndexError.

    ## Why it hurts
    A dataset without `__iter__` is looped over by asking for item 0, 1, 2, ... until IndexError.
    Python does not look at `len` for that. If `dataset[len(dataset)]` returns a value,
    `for item in dataset` runs on past the end, perhaps for ever; if it raises something else, such
    as KeyError, the loop ends with that error. A DataLoader asks only for indices below `len` and
    is not affected.

    ## What to do
    Raise IndexError past the end:

        def __getitem__(self, index):
            if index >= len(self):
                raise IndexError(index)
            return self.items[index % self.base]

    ## When it is wrong
    Where the dataset is read only through a DataLoader, as nearly all are. So this is a `warning`
    only if the target is a bare dataset, and `info` otherwise. It is `info` too for datasets that
    repeat themselves by modulo, that have an `__iter__` of their own, or that raise StopIteration
    past the end (which ends a plain loop as well).
    """

    rule = "DL102"
    name = "no-index-error"
    level = Level.WARNING
    needs = ("loader", "protocol")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge from what one read past the end gave."""
        spec, protocol = case.evidence.loader, case.evidence.protocol
        assert spec is not None
        assert protocol is not None
        if spec.kind != "map":
            yield not_applicable("a stream has no index")
            return
        length, reading = protocol.length, protocol.at_length
        if length is None or reading is None:
            yield insufficient("the index just past the end was not read")
            return
        if reading.outcome == "index-error" or _is_a_replacement(case, reading):
            return
        yield self.finding(
            f"`dataset[{length}]`, one past the end, {_what_came(reading, length)} instead of raising "
            f"IndexError: {_effect(reading, protocol)}",
            advice="Raise IndexError for every index from `len` on.",
            level=self._level_for(reading, protocol, bare=spec.given == "dataset"),
            where=reading.where or spec.dataset_ref,
            samples=(length,),
            length=length,
            outcome=reading.outcome,
            error=reading.error,
            same_as=reading.same_as,
        )

    def _level_for(self, reading: Reading, protocol: ProtocolEvidence, *, bare: bool) -> Level:
        last = (protocol.length or 0) - 1
        repeats = reading.outcome == "value" and reading.same_as is not None and reading.same_as != last
        harmless = repeats or reading.outcome == "stop" or protocol.iterates_by_index is False
        return self.level if bare and not harmless else Level.INFO


def _is_a_replacement(case: Case, reading: Reading) -> bool:
    """A dataset that replaces failing samples replaces this one as well: one cause, one finding."""
    known = other_item(case.evidence) == "substituted" or failed_for(case.evidence, "replacement-ran-out")
    follows = reading.retried or reading.same_as is not None
    return bool(known) and (follows or (reading.error or "").startswith("RecursionError"))


def _what_came(reading: Reading, length: int) -> str:
    if reading.outcome != "value":
        return f"raises {reading.error or 'another exception'}"
    if reading.same_as is None:
        return f"returns {reading.preview}" if reading.preview else "returns a value"
    return (
        f"returns the {'last item' if reading.same_as == length - 1 else f'item of index {reading.same_as}'}"
    )


def _effect(reading: Reading, protocol: ProtocolEvidence) -> str:
    if protocol.iterates_by_index is False:
        return "the dataset has its own `__iter__`, so plain loops do not depend on it"
    if reading.outcome == "stop":
        return "a plain loop ends here all the same"
    if reading.outcome == "raised":
        return "`for item in dataset` ends with this error"
    return "`for item in dataset` does not stop at `len`"
