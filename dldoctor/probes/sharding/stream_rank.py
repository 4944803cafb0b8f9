"""One rank of a stream: the loader runs, and its workers note what they deliver."""

from __future__ import annotations

import inspect
import os
import time
from typing import Any

from dldoctor.child.request import ChildRequest
from dldoctor.foreign import attribute, has
from dldoctor.probes.frames import is_first_party
from dldoctor.probes.sharding.announce import Announcer
from dldoctor.probes.sharding.user_code import users
from dldoctor.targets import Pipeline

SHUFFLES = frozenset({"shuffle", "permutation", "permuted", "randperm"})
"""What the three libraries call it."""
NAMED = 100_000
"""Samples of the one process that reads everything whose names are kept, to name those that are missing."""


def deliver_epochs(
    job: dict[str, Any], request: ChildRequest, pipeline: Pipeline, announcer: Announcer
) -> dict[str, Any]:
    """Return what this rank delivers, as JSON; the ids lie in files of the workers."""
    from dldoctor.probes.sharding.stream_log import FIRST, LogConfig
    from dldoctor.probes.sharding.streams import folder_of, read_epochs

    def config(name: str) -> LogConfig:
        folder = job["folder"] if name == "run" else folder_of(job["folder"], name)
        own_id = request.intent.fields.get("sample_id")
        token = f"{name}-{os.getpid()}"
        texts = NAMED if job["workers"] is not None else FIRST
        kinds = declared_kinds(request) if job["workers"] is None else None
        return LogConfig(folder, request.staging, token, own_id=own_id, texts=texts, kinds=kinds)

    budget = _Budget(job, request)
    epochs = users(lambda: read_epochs(pipeline, announcer, config("run"), job["epochs"], budget.go_on))
    return {"kind": "iterable", "epochs": epochs, "shuffle_name": shuffle_name(pipeline.dataset)}


def declared_kinds(request: ChildRequest) -> tuple[str, ...]:
    """Return the fields that the user named as class or group."""
    fields = request.intent.fields
    return tuple(fields[role] for role in ("class_label", "group") if role in fields)


def shuffle_name(dataset: Any, depth: int = 3) -> str | None:
    """Return what says that a stream shuffles: an attribute, a part of it, or a call in its own `__iter__`."""
    seen: list[Any] = []

    def walk(value: Any, name: str, left: int) -> str | None:
        if any(value is one for one in seen) or isinstance(value, (str, bytes, int, float)):
            return None
        seen.append(value)
        kind = type(value).__name__
        called = attribute(attribute(value, "f", value), "__name__", "")
        if "shuf" in kind.lower() or "shuf" in str(called).lower():
            return f"{name} is {called or kind}"
        if calls := shuffling_call(type(value)):
            return calls
        if isinstance(value, (list, tuple)):
            parts = [(f"{name}[{i}]", one) for i, one in enumerate(value[:16])]
        else:
            own = attribute(value, "__dict__", {})
            if not isinstance(own, dict):
                return None
            for key, one in own.items():
                if "shuf" in str(key).lower() and one and (isinstance(one, (bool, int)) or callable(one)):
                    return f"{name}.{key}"
            parts = [(f"{name}.{key}", one) for key, one in own.items()]
        if left == 0:
            return None
        return next((found for key, one in parts if (found := walk(one, key, left - 1))), None)

    return walk(dataset, "dataset", depth)


def shuffling_call(kind: type) -> str | None:
    """Return a call that shuffles in the user's own `__iter__` of a class, or in a method that it names."""
    waiting, known = ["__iter__"], set()
    while waiting:
        name = waiting.pop()
        code = attribute(inspect.getattr_static(kind, name, None), "__code__", None)
        if name in known or code is None or not is_first_party(code.co_filename):
            continue
        known.add(name)
        names = set(code.co_names).union(*(one.co_names for one in code.co_consts if has(one, "co_names")))
        if found := sorted(names & SHUFFLES):
            return f"{kind.__name__}.{name} calls {found[0]}"
        waiting += sorted(names)
    return None


class _Budget:
    """When to stop reading a stream."""

    def __init__(self, job: dict[str, Any], request: ChildRequest) -> None:
        self.batches = request.limits.batches
        self.seconds = job["seconds"] / max(1, job["epochs"])
        self._began: dict[int, float] = {}

    def go_on(self, epoch: int, batches: int) -> bool:
        began = self._began.setdefault(epoch, time.monotonic())
        if self.batches is not None and batches >= self.batches:
            return False
        return bool(time.monotonic() - began < self.seconds)
