"""How long a batch takes from a worker to the consumer, as it is and as it could be."""

from __future__ import annotations

import copy
import time
from typing import Any

from torch.utils.data import DataLoader, Dataset

from dldoctor.evidence.trial import Trial
from dldoctor.foreign import has
from dldoctor.probes.arrays import is_array
from dldoctor.probes.profile.payload import float_grid, leaves
from dldoctor.probes.profile.ratios import trial_of

COPIES = 8
COPIED_BYTES = 1 << 28
PAIRS = 5
BUDGET_S = 3.0


class _Copies(Dataset[Any]):
    """Hands out ready-made batches, each once, so that only the way is timed."""

    def __init__(self, copies: list[Any]) -> None:
        self.copies = copies

    def __len__(self) -> int:
        return len(self.copies)

    def __getitem__(self, index: int) -> Any:
        return self.copies[index]


def _as_it_is(batch: Any) -> Any:
    return batch


def crossing_ns(batch: Any, size: int) -> float:
    """Return nanoseconds per batch through one worker."""
    count = max(4, min(COPIES, COPIED_BYTES // max(1, size)))
    copies = [copy.deepcopy(batch) for _ in range(count)]
    loader = DataLoader(
        _Copies(copies), batch_size=None, num_workers=1, collate_fn=_as_it_is, multiprocessing_context="fork"
    )
    times = [time.perf_counter_ns() for _ in loader]
    return (times[-1] - times[1]) / (len(times) - 2)


def compare(name: str, now: Any, then: Any, now_bytes: int, then_bytes: int) -> Trial | None:
    """Send both in turns, in the order A B B A."""
    started = time.monotonic()
    pairs = []
    for number in range(PAIRS):
        order = ("now", "then") if number % 2 == 0 else ("then", "now")
        found = {
            which: crossing_ns(now if which == "now" else then, now_bytes if which == "now" else then_bytes)
            for which in order
        }
        pairs.append((found["now"], found["then"]))
        if number >= 2 and time.monotonic() - started > BUDGET_S:
            break
    return trial_of(name, pairs, now_bytes=now_bytes, then_bytes=then_bytes)


def stacked(batch: Any) -> list[Any]:
    """Return the batch with all its tensors of one type in one; what is no tensor stays beside them."""
    import torch

    by_type: dict[Any, list[Any]] = {}
    others = []
    for leaf in leaves(batch):
        if has(leaf.value, "storage_offset"):
            by_type.setdefault(leaf.value.dtype, []).append(leaf.value.reshape(-1))
        else:
            others.append(leaf.value)
    return [*(torch.cat(parts) for parts in by_type.values()), others]


def as_tensors(batch: Any) -> Any:
    """Return the batch with its arrays and bytes as tensors."""
    import torch

    def turned(value: Any) -> Any:
        if isinstance(value, (bytes, bytearray)) and len(value) > 0:
            return torch.frombuffer(bytearray(value), dtype=torch.uint8)
        if is_array(value) and not has(type(value), "storage_offset"):
            try:
                return torch.from_numpy(value.copy())
            except TypeError:
                return value
        if has(type(value), "getbands"):
            return torch.frombuffer(bytearray(value.tobytes()), dtype=torch.uint8)
        return value

    return _mapped(batch, turned)


def as_bytes(batch: Any) -> Any:
    """Return the batch with float fields that 8 bits hold as uint8."""
    import torch

    def turned(value: Any) -> Any:
        if has(type(value), "storage_offset") and (found := float_grid(value, "")) is not None:
            return ((value - found.offset) / found.scale).round().clamp(0, 255).to(torch.uint8)
        return value

    return _mapped(batch, turned)


def _mapped(value: Any, turned: Any, depth: int = 0) -> Any:
    if depth > 6:
        return value
    if isinstance(value, dict) or (has(value, "items") and has(value, "keys") and not has(value, "shape")):
        return {key: _mapped(item, turned, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(item, turned, depth + 1) for item in value]
    return turned(value)
