"""Whether the user's code needs a process group, takes notice of ranks, and how it gets a group."""

from __future__ import annotations

import datetime as dt
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, MethodType, ModuleType
from typing import Any

from dldoctor.errors import DldoctorError
from dldoctor.foreign import attribute, has
from dldoctor.intent import TargetOptions
from dldoctor.targets import Pipeline, named
from dldoctor.targets.samplers import chain_of, outermost
from dldoctor.targets.user_code import is_user_file

_ASKS = {"is_initialized", "is_dist_avail_and_initialized", "is_torchelastic_launched"}
_NO_GROUP = ("process group has not been initialized", "init_process_group")
_VARIABLES = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "SLURM_PROCID"}


def start(kind: str, rank: int, world: int, seconds: float) -> None:
    """Make the default process group: ``gloo`` over this machine, or ``fake`` without any traffic."""
    import torch.distributed as dist

    wait = dt.timedelta(seconds=max(5.0, seconds))
    if kind == "gloo":
        dist.init_process_group("gloo", rank=rank, world_size=world, timeout=wait)
        return
    # torch ships it for tests of large worlds; nothing is ever sent or waited for.
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=rank, world_size=world, store=FakeStore())


def lacks_group(message: str) -> bool:
    """Whether an exception says that there is no process group."""
    return any(part in message for part in _NO_GROUP)


def asks_for_group(target: Any) -> bool:
    """Whether the user's code asks if there is a group, and found none: it may then not shard at all."""
    dist = sys.modules.get("torch.distributed")
    if dist is None or (dist.is_available() and dist.is_initialized()):
        return False
    return any(_ASKS & set(code.co_names) for code in _reached(target))


def sharded_by(pipeline: Pipeline, target: Any) -> tuple[str, ...]:
    """Return how the target takes notice of ranks, as far as its objects and its code show it."""
    found = []
    inner = pipeline.torch_loader
    sampler = None if inner is None else outermost(inner)
    for one in chain_of(sampler):
        own = attribute(one, "__dict__", {})
        if {"num_replicas", "num_processes", "rank", "process_index", "world_size"} & set(own):
            found.append(type(one).__name__)
    names, texts = set[str](), set[str]()
    for code in (*_reached(target), *_reached(pipeline.dataset), *_reached(sampler)):
        names |= set(code.co_names)
        texts |= {one for one in code.co_consts if isinstance(one, str)}
    found += sorted(_VARIABLES & texts)[:2]
    if {"get_rank", "get_world_size", "init_process_group"} & names:
        found.append("torch.distributed")
    if names & {"split_dataset_by_node", "split_by_node", "split_by_rank"}:
        found.append(min(names & {"split_dataset_by_node", "split_by_node", "split_by_rank"}))
    return tuple(dict.fromkeys(found))


def shares_out(pipeline: Pipeline, options: TargetOptions) -> bool:
    """Whether items are shared out between ranks, or a sampler takes the epoch: there is something to compare."""
    inner = pipeline.torch_loader
    sampler = None if inner is None else outermost(inner)
    if any(callable(attribute(one, "set_epoch", None)) for one in chain_of(sampler)):
        return True
    try:
        target = named(options)
    except DldoctorError:
        target = None  # a live object; its loader has code too
    return bool(sharded_by(pipeline, target))


def _reached(target: Any) -> Iterator[CodeType]:
    """Yield the user's own code that a call of the target may run: what it names, and what that names."""
    waiting, seen = [target], set[int]()
    while waiting:
        value = waiting.pop()
        if isinstance(value, (MethodType, classmethod, staticmethod)):
            value = value.__func__
        # Not `getattr`: what an object does about names that it does not have is its own affair.
        value = inspect.getattr_static(value, "__wrapped__", value)
        if id(value) in seen or not _is_users(value):
            continue
        seen.add(id(value))
        if isinstance(value, type):
            waiting += [part for base in value.__mro__ for part in vars(base).values() if _may_run(part)]
            continue
        code = attribute(value, "__code__", None)
        if not isinstance(code, CodeType):
            waiting.append(type(value))
            continue
        names = set[str]()
        for one in _nested(code):
            yield one
            names |= set(one.co_names)
        known = value.__globals__
        waiting += [known[name] for name in names if name in known]
        for module in (known[name] for name in names if isinstance(known.get(name), ModuleType)):
            waiting += [vars(module)[name] for name in names if name in vars(module)]


def _may_run(part: Any) -> bool:
    return has(part, "__code__") or has(part, "__func__") or isinstance(part, property)


def _is_users(value: Any) -> bool:
    module = sys.modules.get(attribute(value, "__module__", None) or "")
    path = attribute(module, "__file__", None)
    return isinstance(path, str) and is_user_file(path)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)
