"""DL104 silent-stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.failed_samples import FailedSamples, failed_for
from dldoctor.checks.wording import counted
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class SilentStop(Check):
    """An exception inside `__getitem__` is taken for the end of the data.

    ## Why it hurts
    StopIteration means "no more items" to every `for` loop. Raised inside `__getitem__`, by a bare
    `next(...)` for instance, it passes through the DataLoader, with workers or without, and ends
    the epoch there: no error, no warning, just fewer batches. An IndexError does the same to
    `for item in dataset`, which counts up until IndexError; the DataLoader raises it.

    ## What to do
    Let no StopIteration out of `__getitem__`, and turn an IndexError of your own code into an error
    that names the sample:

        caption = next(iter(captions), None)
        if caption is None:
            raise ValueError(f"sample {index} has no caption")

    ## When it is wrong
    IndexErrors that go on to the last index are the end of the data: that is `length-mismatch`. An
    IndexError of a library, or of a dataset with an `__iter__` of its own, is `sample-failed`.
    """

    rule = "DL104"
    name = "silent-stop"
    level = Level.ERROR
    needs = ("loader",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Report each kind and place once."""
        spec = case.evidence.loader
        assert spec is not None
        if spec.kind != "map":
            yield not_applicable("a stream may end by StopIteration")
            return
        for found in failed_for(case.evidence, "silent-stop"):
            stops = found.kind == "StopIteration"
            yield self._stop(spec, found) if stops else self._index_error(spec, found)

    def _stop(self, spec: LoaderSpec, found: FailedSamples) -> Finding:
        delivered, promised = _delivered(spec, found)
        if spec.given != "loader":
            how = "ends every loop over the data without an error"
        else:
            how = "ends the loader's epoch without an error"
        return self._finding(spec, found, f"StopIteration out of `__getitem__` {how}", delivered, promised)

    def _index_error(self, spec: LoaderSpec, found: FailedSamples) -> Finding:
        delivered = min(found.indices, default=None)
        text = f"{found.error} out of `__getitem__` ends `for item in dataset` without an error"
        return self._finding(spec, found, text, delivered, spec.dataset_length)

    def _finding(
        self, spec: LoaderSpec, found: FailedSamples, text: str, delivered: int | None, promised: int | None
    ) -> Finding:
        after, share = "", None
        if delivered is not None and promised:
            after = f" after {delivered} of {counted(promised, 'item')}"
            share = max(0.0, 1.0 - delivered / promised)
        first = found.samples[0] if found.samples else "?"
        more = f" and {counted(found.count - 1, 'other read')}" if found.count > 1 else ""
        return self.finding(
            f"index {first}{more}: {text}{after}",
            advice="Catch it where it arises and raise an error that names the sample, such as ValueError.",
            where=found.where or spec.dataset_ref,
            samples=found.samples,
            error=found.error,
            kind=found.kind,
            count=found.count,
            delivered=delivered,
            promised=promised,
            share=share,
        )


def _delivered(spec: LoaderSpec, found: FailedSamples) -> tuple[int | None, int | None]:
    """Return the items that the bare loader delivers before it ends, and those that it promises."""
    length = spec.dataset_length
    if not spec.settings_known:
        return min(found.indices, default=None), length
    size = spec.batch_size
    if size is None:
        return None, length
    promised = length
    if spec.loader_length is not None:
        full = spec.loader_length * size
        promised = full if length is None or spec.replacement else min(full, length)
    batch = found.batch
    in_order = spec.shuffle is False and (spec.sampler or "SequentialSampler").endswith("SequentialSampler")
    if batch is None and in_order:
        batch = min(found.indices, default=0) // size
    return (None if batch is None else batch * size), promised
