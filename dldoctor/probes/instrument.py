"""Puts the watching stand-ins into a loader, in place of its dataset and collate function."""

from __future__ import annotations

from typing import Any

from dldoctor.intent import Limits
from dldoctor.probes.watch import WatchConfig
from dldoctor.probes.wrappers import AWAY, WatchedCollate, watched
from dldoctor.targets import Pipeline


def instrument(pipeline: Pipeline, config: WatchConfig) -> str:
    """Swap dataset and collate of the torch loader; return the form in which records arrive.

    ``envelope``: batches come as `wrappers.Envelope`; ``aside``: batches come bare and records are
    in `wrappers.AWAY`; ``none``: nothing could be swapped, only batches are seen.
    """
    AWAY.clear()  # what an earlier loader of this process left is not of this one
    inner = pipeline.torch_loader
    if inner is None:
        return "none"
    form = "envelope" if iterates_plainly(pipeline) else "aside"
    # The constructor's guard against setting these later protects samplers that were made for the
    # old dataset; the stand-in has the same items, so the guard is passed by on purpose.
    attributes = vars(inner)
    attributes["dataset"] = watched(attributes["dataset"], config, swallow=form == "envelope")
    attributes["collate_fn"] = WatchedCollate(attributes["collate_fn"], config, form)
    _renew_iterators(pipeline)
    return form


_KEPT: list[Any] = []
"""Iterators of the holder's: to let go of them here would end workers that are not ours to end."""


def _renew_iterators(pipeline: Pipeline) -> None:
    """Give a loader that made its iterator when it was built a new one, made by us and watched.

    The workers of the old one are children of another process, so it cannot be used in this one.
    """
    from torch.utils.data import DataLoader

    inner: Any = pipeline.torch_loader
    attributes = vars(inner)
    for name, value in list(attributes.items()):
        if type(value).__name__.endswith("DataLoaderIter") and name != "_iterator":
            _KEPT.append(value)
            attributes[name] = DataLoader.__iter__(inner)


def iterates_plainly(pipeline: Pipeline) -> bool:
    """Whether no code of the user's (or of a framework) stands between the loader and us."""
    if pipeline.loader is not pipeline.torch_loader:
        return False
    owner = next(base for base in type(pipeline.loader).__mro__ if "__iter__" in base.__dict__)
    return owner.__module__.split(".", 1)[0] in ("torch", "torchdata")


def restrict(pipeline: Pipeline, limits: Limits) -> str | None:
    """Read only the indices that were asked for; return a sentence where that cannot be done."""
    if not limits.ids:
        return None
    inner: Any = pipeline.torch_loader
    if inner is None or pipeline.spec.kind != "map":
        return "--ids needs a map-style dataset; everything was read instead"
    if pipeline.asks is not None:
        return f"--ids names single items, and the sampler hands a {pipeline.asks} to `__getitem__`; everything was read instead"
    ids = list(limits.ids)
    attributes = vars(inner)
    size = pipeline.spec.batch_size or 8
    if attributes.get("batch_sampler") is None:
        attributes["sampler"] = ids
    else:
        attributes["batch_sampler"] = [ids[i : i + size] for i in range(0, len(ids), size)]
    return None
