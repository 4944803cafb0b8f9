"""Reads items under a trace: what came in place of an item that raised gives itself away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dldoctor.evidence.samples import Substitution
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.nested import ReadWatch
from dldoctor.probes.reading import SEED, Reader
from dldoctor.probes.swallowed import ReadTrace, read_traced


@dataclass(frozen=True)
class _Read:
    index: int
    trace: ReadTrace
    got: int | None
    """The index of the item that came instead, where it is known."""


def replaced_items(
    reader: Reader, indices: Iterable[int], blank: Mapping[int, str]
) -> tuple[tuple[Substitution, ...], int]:
    """Return the items that were replaced after an exception, and how many were read.

    `blank` has the samples in which one field, named, was of one single value. After an exception
    that no other item swallows such a sample is a stand-in that the user's code made up. What most
    reads swallow (a cache miss, a fallback decoder) says nothing of a single one.
    """
    order = list(dict.fromkeys(indices))
    reads = [one for index in order if (one := _read(reader, index, order)) is not None]
    routine = {_signature(one.trace) for one in reads if one.got is None and one.index not in blank}
    found = []
    for one in reads:
        error, where = one.trace.error, one.trace.where
        if error is None:
            continue
        if one.got is not None and one.got != one.index:
            found.append(Substitution(one.index, one.got, error, where))
        elif one.index in blank and _signature(one.trace) not in routine:
            found.append(Substitution(one.index, None, error, where, blank=blank[one.index]))
    return tuple(found), len(reads)


def _read(reader: Reader, index: int, others: list[int]) -> _Read | None:
    if reader.out_of_time() or reader.is_deadly(index):
        return None
    pin(SEED)
    nested: list[Any] = []
    reader.note(index)
    try:
        with ReadWatch.of(reader.dataset).outermost(index, nested):
            sample, trace = read_traced(reader.dataset, index)
    except (SystemExit, GeneratorExit):
        raise
    except BaseException:  # noqa: BLE001 - the user's code; the loader's evidence has it
        return None
    got = nested[0][1] if nested else trace.moved_to
    if trace.error is not None and got is None:
        got = _same_content(reader, index, sample, others)
    return _Read(index, trace, got)


def _signature(trace: ReadTrace) -> tuple[str, int] | None:
    """The place at which an exception was last seen; its text names another file each time."""
    return None if trace.where is None else (trace.where.path, trace.where.line or 0)


def _same_content(reader: Reader, index: int, sample: Any, others: list[int]) -> int | None:
    content = digests(sample)
    if not content:
        return None
    near = [index + 1, index - 1, 0, *others]
    return next(
        (i for i in dict.fromkeys(near) if i >= 0 and i != index and reader.content(i) == content), None
    )
