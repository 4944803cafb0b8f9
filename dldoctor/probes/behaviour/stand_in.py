"""Stand-ins for the user's dataset that read as an experiment needs, and the loaders that run them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

from torch.utils.data import DataLoader, Dataset

from dldoctor.child.session import Session
from dldoctor.probes.watch import WatchConfig, watch_of


class StandIn(Dataset[Any]):
    """Reads `inner` in its own way; every other attribute is read from and written to the user's object.

    ``worker_init_fn`` reaches its dataset through ``get_worker_info()``, and must find it here.
    """

    _dldoctor_inner: Any
    _dldoctor_settings: dict[str, Any]
    _dldoctor_config: WatchConfig

    def __init__(self, inner: Any, config: WatchConfig, **settings: Any) -> None:
        """Stand for `inner`; `settings` travel to the workers."""
        vars(self).update(_dldoctor_inner=inner, _dldoctor_config=config, _dldoctor_settings=settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the call that makes it again."""
        return _again, (type(self), self._dldoctor_inner, self._dldoctor_config, self._dldoctor_settings)

    def __getattr__(self, name: str) -> Any:
        """Read what is not ours from the user's dataset."""
        if name.startswith("_dldoctor_") or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return getattr(self._dldoctor_inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Write to the user's dataset."""
        setattr(self._dldoctor_inner, name, value)

    def note(self, stage: str, sample: object) -> None:
        """Write on the board what this process is at."""
        watch_of(self._dldoctor_config).note(stage, sample)

    @property
    def worker(self) -> int:
        """Number of the worker that this is; -1 in the main process."""
        return watch_of(self._dldoctor_config).worker


def _again(kind: type[StandIn], inner: Any, config: WatchConfig, settings: dict[str, Any]) -> StandIn:
    return kind(inner, config, **settings)


def as_they_are(samples: Any) -> Any:
    """Collate nothing."""
    return samples


def config_of(session: Session, name: str) -> WatchConfig:
    """Return the settings by which the processes of an experiment write on the board."""
    return WatchConfig(session.staging, token=f"{name}-{os.getpid()}", previews=0)


def experiment_loader(
    pipeline: Any,
    dataset: StandIn,
    batches: Sequence[Sequence[Any]],
    *,
    workers: int,
    method: str | None,
    persistent: bool = False,
) -> Any:
    """Return a loader over a stand-in that starts its workers as the user's loader does."""
    import torch

    # More workers than cores are meant here, in a process that exists for the experiment.
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    state = vars(pipeline.torch_loader)
    context = torch.multiprocessing.get_context(method) if workers and method else None
    return DataLoader(
        dataset,
        batch_sampler=batches,  # type: ignore[arg-type]  # any iterable of batches will do
        num_workers=workers,
        collate_fn=as_they_are,
        worker_init_fn=state.get("worker_init_fn"),
        generator=state.get("generator"),
        persistent_workers=persistent and workers > 0,
        multiprocessing_context=context,
    )


def method_of(pipeline: Any) -> str:
    """Return the start method that an experiment uses: the loader's own."""
    return pipeline.spec.start_method or "fork"
