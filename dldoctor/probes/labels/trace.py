"""Notes, in the process that collates, the token rows of the samples before the collate gets them."""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dldoctor.probes.wrappers import AWAY, Aside, Envelope
from dldoctor.roles.flatten import leaves
from dldoctor.roles.kinds import Kind, kind_of

LONGEST = 1 << 17
"""A longer sequence of whole numbers is no row of text (sound is)."""
LONGEST_NAME = 40
"""A longer text is no name of a source."""
FEWEST = 2
MOST_BYTES = 1 << 24
"""Token bytes of one batch; what is beyond is not traced."""


class SampleTrace(NamedTuple):
    """What one sample held before it was collated."""

    sequences: dict[str, array[int]]
    """Path to the whole numbers of each flat sequence."""
    numbers: dict[str, int]
    """Path to each whole number."""
    texts: dict[str, str] = {}  # noqa: RUF012 - never written to
    """Path to each text that is short enough to be a name."""


class Trace(NamedTuple):
    """What the samples of one batch held."""

    samples: tuple[SampleTrace, ...]
    dropped: tuple[str, ...]
    """Keys that were gone from a sample after the collate."""


class TracedCollate:
    """Stands around the watched collate and adds the trace to its record."""

    def __init__(self, inner: Callable[[Any], Any]) -> None:
        """Wrap the watched collate."""
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        """Read what the user's code looks for on its own collate."""
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __call__(self, samples: Any) -> Any:
        """Trace the samples, collate them, and send both."""
        listed = samples if isinstance(samples, (list, tuple)) else [samples]
        traced = _traced(listed)
        keys = [_keys(sample) for sample in listed]
        batch = self.inner(samples)
        dropped = {key for sample, had in zip(listed, keys, strict=False) for key in had - _keys(sample)}
        note = marshal.dumps((traced, sorted(dropped)))
        if isinstance(batch, Envelope):
            return Envelope(batch.batch, joined(batch.record, note))
        if isinstance(batch, Aside):
            return Aside(batch.batch, joined(batch.record, note))
        if AWAY:  # in the main process the record was filed already
            AWAY.append(joined(AWAY.pop(), note))
        return batch


def joined(record: bytes, note: bytes) -> bytes:
    """Return record and trace as one piece, since torch passes bytes on untouched."""
    return marshal.dumps((record, note))


def parted(packed: bytes) -> tuple[bytes, Trace]:
    """Return record and trace."""
    record, note = marshal.loads(packed)  # noqa: S302 - our own bytes, from our own worker
    traced, dropped = marshal.loads(note)  # noqa: S302 - as above
    samples = tuple(
        SampleTrace({path: array("i", data) for path, data in rows.items()}, numbers, texts)
        for rows, numbers, texts in traced
    )
    return record, Trace(samples, tuple(dropped))


def _traced(samples: Any) -> list[tuple[dict[str, bytes], dict[str, int], dict[str, str]]]:
    found: list[tuple[dict[str, bytes], dict[str, int], dict[str, str]]] = []
    room = MOST_BYTES
    for sample in samples:
        rows: dict[str, bytes] = {}
        numbers: dict[str, int] = {}
        texts: dict[str, str] = {}
        for path, leaf in leaves(sample):
            if isinstance(leaf, int) and not isinstance(leaf, bool):
                if abs(leaf) < 2**62:
                    numbers[path] = int(leaf)
                continue
            if isinstance(leaf, str):
                if len(leaf) <= LONGEST_NAME:
                    texts[path] = str(leaf)
                continue
            data = whole_numbers(leaf) if room > 0 else None
            if data is not None:
                room -= len(data)
                rows[path] = data
        found.append((rows, numbers, texts))
    return found


def whole_numbers(leaf: Any) -> bytes | None:
    """Return a flat sequence of whole numbers or flags as 32-bit integers, or None."""
    kind = kind_of(type(leaf))
    try:
        if kind is Kind.SEQUENCE:
            if not FEWEST <= len(leaf) <= LONGEST or type(leaf[0]) not in (int, bool):
                return None
            return array("i", leaf).tobytes()
        if kind is Kind.TENSOR:
            return _of_tensor(leaf)
        if kind is Kind.ARRAY and leaf.dtype.kind in "biu" and leaf.ndim == 1 and leaf.size <= LONGEST:
            return bytes(leaf.astype("int32").tobytes()) if leaf.size >= FEWEST else None
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
    return None


def _of_tensor(tensor: Any) -> bytes | None:
    if tensor.ndim == 2 and tensor.shape[0] == 1:  # a tokenizer asked for tensors returns a batch of one
        tensor = tensor[0]
    if tensor.ndim != 1 or not FEWEST <= tensor.numel() <= LONGEST:
        return None
    if tensor.is_floating_point() or tensor.is_complex() or tensor.is_cuda:
        return None
    import torch

    whole = tensor.detach().to(torch.int32)
    try:
        return bytes(whole.numpy().tobytes())
    except (RuntimeError, TypeError):  # a torch without numpy
        return array("i", whole.tolist()).tobytes()


def _keys(sample: Any) -> frozenset[str]:
    return frozenset(str(key) for key in sample) if isinstance(sample, Mapping) else frozenset()
