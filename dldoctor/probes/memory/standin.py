"""Stand-ins for dataset and collate that only count and note; batches pass through untouched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data import IterableDataset

from dldoctor.foreign import attribute, has
from dldoctor.probes.index import plain_index
from dldoctor.probes.memory.containers import Roots
from dldoctor.probes.memory.process_watch import MemoryConfig, ProcessWatch, watch_of
from dldoctor.probes.wrappers import WatchedMap, WatchedStream, _Sized
from dldoctor.targets import Pipeline


class _Light:
    """What makes a stand-in of dry-run's a light one."""

    _dldoctor_inner: Any
    _dldoctor_config: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return stand_in, (self._dldoctor_inner, self._dldoctor_config)

    def _dldoctor_watch(self) -> ProcessWatch:
        return watch_of(*self._dldoctor_config)


class LightMap(_Light, WatchedMap):
    """A map-style dataset without a length."""

    def __getitem__(self, index: Any) -> Any:
        """Read one item of the user's dataset."""
        self._dldoctor_watch().sample("getitem", plain_index(index))
        return self._dldoctor_inner[index]


class LightMapBatched(LightMap):
    """A map-style dataset whose items can be fetched a batch at a time."""

    def __getitems__(self, indices: list[Any]) -> Any:
        """Fetch a batch through the user's ``__getitems__``."""
        self._dldoctor_watch().sample("getitems", plain_index(indices[0]) if indices else "")
        return self._dldoctor_inner.__getitems__(indices)


class LightStream(_Light, WatchedStream):
    """A stream of samples without a length."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the user's samples."""
        watch = self._dldoctor_watch()
        watch.sample("iter", 0)
        for ordinal, sample in enumerate(self._dldoctor_inner):
            yield sample
            watch.sample("iter", ordinal + 1)


class SizedLightMap(_Sized, LightMap):
    """A map-style dataset with a length."""


class SizedLightMapBatched(_Sized, LightMapBatched):
    """A map-style dataset with a length and ``__getitems__``."""


class SizedLightStream(_Sized, LightStream):
    """A stream that states its length."""


def stand_in(inner: Any, config: tuple[MemoryConfig, Roots]) -> Any:
    """Return the stand-in for a dataset that has the same abilities."""
    sized = has(type(inner), "__len__")
    if isinstance(inner, IterableDataset) or not has(type(inner), "__getitem__"):
        kind: Any = SizedLightStream if sized else LightStream
    elif callable(attribute(inner, "__getitems__", None)):
        kind = SizedLightMapBatched if sized else LightMapBatched
    else:
        kind = SizedLightMap if sized else LightMap
    made = kind.__new__(kind)
    vars(made).update(_dldoctor_inner=inner, _dldoctor_config=config, _dldoctor_swallow=False)
    return made


class LightCollate:
    """Calls the user's collate function and marks the boundary between two batches."""

    def __init__(self, inner: Callable[[Any], Any], config: MemoryConfig, roots: Roots) -> None:
        """Wrap `inner`."""
        self.inner = inner
        self.config = config
        self.roots = roots

    def __getattr__(self, name: str) -> Any:
        """Read what the user's code looks for on its own collate."""
        if name.startswith("__") or name in ("inner", "config", "roots"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __call__(self, samples: Any) -> Any:
        """Collate, then look at the counters where that is due."""
        watch = watch_of(self.config, self.roots)
        count = len(samples) if isinstance(samples, (list, tuple)) else 1
        watch.note("collate")
        batch = self.inner(samples)
        del samples
        watch.boundary(count)
        watch.note("idle", always=True)
        return batch


def instrument(pipeline: Pipeline, config: MemoryConfig) -> Roots:
    """Swap dataset and collate of the torch loader; return where names begin."""
    inner = pipeline.torch_loader
    outer = pipeline.loader if pipeline.loader is not inner else None
    if inner is None:
        return Roots(pipeline.dataset, None, outer)
    attributes = vars(inner)
    roots = Roots(attributes["dataset"], attributes["collate_fn"])
    attributes["collate_fn"] = LightCollate(attributes["collate_fn"], config, roots)
    attributes["dataset"] = stand_in(attributes["dataset"], (config, roots))
    return roots._replace(loader=outer)
