"""Puts a setting, and data without an end, into the pipeline of a process that is ours alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.utils.data import IterableDataset

from dldoctor.intent import LoaderOptions
from dldoctor.probes.wrappers import WatchedStream
from dldoctor.sweep.model import Setting
from dldoctor.targets import Pipeline
from dldoctor.targets.torch_loader import with_options


class Again:
    """A sampler that begins anew when it ends, so that a run is one long epoch with one start."""

    def __init__(self, sampler: Any) -> None:
        """Repeat `sampler`."""
        self._sampler = sampler

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._sampler, name)

    def __iter__(self) -> Iterator[Any]:
        """Yield the user's order again and again; an order without anything ends."""
        while True:
            some = False
            for item in self._sampler:
                some = True
                yield item
            if not some:
                return

    def __len__(self) -> int:
        """Torch asks for it where the user does; the length of one epoch stays true."""
        return len(self._sampler)


class AgainStream(WatchedStream):
    """A stream that begins anew when it ends."""

    def __reduce__(self) -> tuple[Any, ...]:
        return again_stream, (self._dldoctor_inner,)

    def __iter__(self) -> Iterator[Any]:
        """Yield the user's samples again and again."""
        while True:
            some = False
            for sample in self._dldoctor_inner:
                some = True
                yield sample
            if not some:
                return


def again_stream(inner: Any) -> AgainStream:
    """Return the endless stand-in for a stream."""
    stand_in = AgainStream.__new__(AgainStream)
    vars(stand_in).update(_dldoctor_inner=inner)
    return stand_in


def current_setting(pipeline: Pipeline) -> Setting:
    """Return the workers and the prefetch factor that the user has set."""
    spec = pipeline.spec
    return Setting(spec.num_workers, (spec.prefetch_factor or 2) if spec.num_workers else 0)


def apply(pipeline: Pipeline, setting: Setting, extra: dict[str, Any] | None = None) -> None:
    """Change the loader in place: only a fork that ends after the run may call this."""
    loader: Any = pipeline.torch_loader
    options = LoaderOptions(
        num_workers=setting.workers,
        prefetch_factor=setting.prefetch if setting.workers else None,
        **{k: v for k, v in (extra or {}).items() if k not in ("in_order", "sharing_strategy")},
    )
    state = vars(loader)
    state.update(vars(with_options(loader, options)))
    if extra and "in_order" in extra:
        state["in_order"] = extra["in_order"]
    if extra and "sharing_strategy" in extra:
        import torch

        torch.multiprocessing.set_sharing_strategy(extra["sharing_strategy"])  # type: ignore[no-untyped-call]


def never_end(pipeline: Pipeline) -> None:
    """Let one epoch last as long as the run: the start of the workers is not what is measured."""
    loader: Any = pipeline.torch_loader
    state = vars(loader)
    if isinstance(state["dataset"], IterableDataset):
        state["dataset"] = again_stream(state["dataset"])
    elif state.get("batch_sampler") is not None:
        state["batch_sampler"] = Again(state["batch_sampler"])
    else:
        state["sampler"] = Again(state["sampler"])
