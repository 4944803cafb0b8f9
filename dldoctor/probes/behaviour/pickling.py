"""What cannot be pickled, leaf by leaf, and what the rest costs."""

from __future__ import annotations

import io
import pickle
import time
import types
from multiprocessing import context, reduction
from multiprocessing.reduction import ForkingPickler
from typing import Any

from dldoctor.evidence.workers import Part, Unpicklable
from dldoctor.foreign import attribute, has
from dldoctor.probes.behaviour.graph import Found, parts
from dldoctor.probes.behaviour.open_things import open_things
from dldoctor.probes.frames import one_line
from dldoctor.targets.source_ref import source_of

LEAVES = 50
DEPTH = 12


class _Sink(io.RawIOBase):
    """Counts bytes and keeps none."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, data: Any) -> int:
        """Count."""
        size = len(memoryview(data).cast("B")) if not isinstance(data, bytes) else len(data)
        self.size += size
        return size


class _Counting(pickle.Pickler):
    """Pickles as a spawned worker's arguments are, but counts tensors instead of moving their memory."""

    def __init__(self, sink: _Sink) -> None:
        super().__init__(sink, protocol=pickle.HIGHEST_PROTOCOL)
        self.sink = sink
        self.dispatch_table = ForkingPickler(io.BytesIO()).dispatch_table

    def reducer_override(self, value: Any) -> Any:
        """Count a tensor's bytes; everything else goes its usual way."""
        import torch

        if isinstance(value, torch.Tensor) and type(value) in (torch.Tensor, torch.nn.Parameter):
            self.sink.size += value.numel() * value.element_size()
            return torch.Tensor, ()
        return NotImplemented


class _Inheriting:
    """Stands for the process that is being started: locks and queues travel only to such a one."""

    def duplicate_for_child(self, descriptor: int) -> int:
        """Say that the child would have this descriptor."""
        return descriptor

    def DupFd(self, descriptor: int) -> Any:  # noqa: N802 - the name that multiprocessing calls
        """Wrap a descriptor as the start of a process does."""
        return reduction._DupFd(descriptor) if hasattr(reduction, "_DupFd") else descriptor  # noqa: SLF001


def cost(value: Any) -> tuple[int, int, Exception | None]:
    """Return bytes, nanoseconds and what went wrong when a value is pickled for a worker."""
    sink = _Sink()
    before = context.get_spawning_popen()
    starting: Any = _Inheriting()
    context.set_spawning_popen(starting)
    start = time.perf_counter_ns()
    try:
        _Counting(sink).dump(value)
    except Exception as error:  # noqa: BLE001 - the user's classes decide how they are pickled
        return sink.size, time.perf_counter_ns() - start, error
    finally:
        context.set_spawning_popen(before)
    return sink.size, time.perf_counter_ns() - start, None


def unpicklable(starts: list[Found]) -> list[Unpicklable]:
    """Return every leaf that cannot be pickled, each once."""
    found: list[Unpicklable] = []
    seen: set[int] = set()
    for path, value in starts:
        _search(path, value, 0, found, seen)
    return found


def _search(path: str, value: Any, depth: int, found: list[Unpicklable], seen: set[int]) -> bool:
    """Add the leaves at fault below `value`; return whether it can be pickled."""
    error = cost(value)[2]
    if error is None:
        return True
    if id(value) in seen or len(found) >= LEAVES:
        return False
    seen.add(id(value))
    inside = [] if depth >= DEPTH or _is_leaf(value) else _state(value)
    fine = [_search(path + step, inner, depth + 1, found, seen) for step, inner in inside]
    if all(fine):
        found.append(
            Unpicklable(
                path, _kind(path, value), one_line(error), source_of(value) if callable(value) else None
            )
        )
    return False


def _is_leaf(value: Any) -> bool:
    if type(value).__module__.startswith("multiprocessing."):
        return True
    return isinstance(value, (types.FunctionType, types.GeneratorType, types.ModuleType, type)) or bool(
        open_things([("", value)][:1]) and not has(value, "__dict__")
    )


def _state(value: Any) -> list[Found]:
    """Return what pickling a value would walk into: its reduced state where it defines one."""
    getstate = type(value).__dict__.get("__getstate__")
    if getstate is not None:
        try:
            state = value.__getstate__()
        except Exception:  # noqa: BLE001 - the user's own; then the object itself is the leaf
            return []
        return (
            [(f".{name}" if isinstance(name, str) else "[...]", one) for name, one in state.items()]
            if isinstance(state, dict)
            else parts(state)
        )
    # What is stored on the class (a lock, say) stays there.
    own = attribute(value, "__dict__", None)
    of_class = (
        set(dir(type(value))).difference(own, _slots(type(value))) if isinstance(own, dict) else set[str]()
    )
    steps = parts(value)
    return [one for one in steps if not one[0].startswith(".<global") and one[0][1:] not in of_class]


def _slots(kind: type) -> set[str]:
    stored = (attribute(base, "__slots__", ()) for base in kind.__mro__)
    return {name for one in stored for name in ([one] if isinstance(one, str) else one)}


def _kind(path: str, value: Any) -> str:
    if isinstance(value, types.FunctionType):
        return "lambda" if value.__name__ == "<lambda>" else "local function"
    if type(value).__module__.startswith("multiprocessing."):
        return "synchronisation"
    if isinstance(value, types.GeneratorType):
        return "generator"
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "local class"
    handles = open_things([(path, value)])
    if handles and handles[0][0].path == path:
        return handles[0][0].kind
    name = type(value).__name__
    if name in ("lock", "RLock", "_RLock", "Condition", "Semaphore", "Event", "Thread", "_local", "local"):
        return "lock" if "hread" not in name else "thread"
    return "local class" if "<locals>" in type(value).__qualname__ else "other"


def costs(starts: list[Found]) -> list[Part]:
    """Return what each root costs, and each attribute of the dataset, the dearest first."""
    found = []
    for path, value in starts:
        pieces = [
            (path + step, inner) for step, inner in parts(value) if step.startswith(".") and "<" not in step
        ]
        for name, one in [(path, value)] if path != "dataset" or not pieces else pieces:
            size, took, error = cost(one)
            if error is None:
                found.append(Part(name, size, took))
    return sorted(found, key=lambda part: -part.size_bytes)
