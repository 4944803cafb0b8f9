"""Reads one item with one probe picture after the other, all else alike."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from typing import Any

from dldoctor.child.fork import RunDiedError, run_in_fork
from dldoctor.child.session import Session
from dldoctor.evidence.probe_pictures import Opened
from dldoctor.finding import SourceRef
from dldoctor.probes.behaviour import generators as gens
from dldoctor.probes.behaviour.graph import roots
from dldoctor.probes.probe_pictures.decoders import Decoders
from dldoctor.probes.probe_pictures.drawings import Drawing
from dldoctor.probes.probe_pictures.planes import Plane, Planes, planes_of
from dldoctor.probes.write_guard import no_writing
from dldoctor.targets import Pipeline

SEED = 7000


class Reading:
    """What one reading gave."""

    def __init__(self, planes: Planes, decoders: Decoders) -> None:
        """Keep what the decoders noted."""
        self.planes = planes
        self.opened: list[Opened] = decoders.opened
        self.exchanged: list[Opened] = decoders.exchanged
        self.sizes = decoders.sizes
        self.swaps: list[SourceRef | None] = decoders.swaps
        self.shrinks = decoders.shrinks

    @property
    def main(self) -> Opened:
        """How the picture was decoded: of several the last in colours."""
        coloured = [one for one in self.exchanged if one.gives is not None]
        return (coloured or self.exchanged)[-1]


class Reader:
    """Reads items of one pipeline in this process, or each reading in a fork of it."""

    def __init__(self, pipeline: Pipeline, session: Session, deadline: float) -> None:
        """Nothing is read before `install`."""
        self._pipeline, self._session, self._deadline = pipeline, session, deadline
        self.decoders = Decoders()
        self.apart = False
        """Each reading begins from the same state: of private generators, and of what is kept after it was read."""
        self.count = 0
        self._kept: dict[str, Any] | None = None
        inner = pipeline.torch_loader
        spec = pipeline.spec
        self._collate = None if inner is None or spec.default_collate else vars(inner).get("collate_fn")

    @property
    def out_of_time(self) -> bool:
        """Whether no further item may be read."""
        return self._session.stopping or time.monotonic() > self._deadline

    def read(self, item: int, seed: int, drawing: Drawing | None) -> Reading | None:
        """Return an item (of a stream: the sample at this place); None where the user's code took offence."""
        self.count += 1
        self._session.note("getitem", item)
        if not self.apart:
            return self._read(item, seed, drawing)
        self._generators()
        path = os.path.join(self._session.staging, "pictures.pt")
        try:
            if run_in_fork(self._session.staging, lambda: self._saved(item, seed, drawing, path)):
                return _loaded(path)
        except RunDiedError:
            return None
        return None

    def moved_on(self, item: int) -> None:
        """Read an item in this very process, so that generators of the user's own stand elsewhere."""
        self._read(item, 0, None)

    def _saved(self, item: int, seed: int, drawing: Drawing | None, path: str) -> bool:
        import torch

        found = self._read(item, seed, drawing)
        if found is not None:
            torch.save(
                [{name: tuple(one) for name, one in found.planes.items()}, vars(found) | {"planes": {}}], path
            )
        return found is not None

    def _read(self, item: int, seed: int, drawing: Drawing | None) -> Reading | None:
        self.decoders.begin(drawing)
        guard = nullcontext() if drawing is None else no_writing()
        try:
            with guard:
                return gens.pinned(SEED + seed * 101 + item, self._generators(), lambda: self._made(item))  # type: ignore[no-any-return]
        except Exception:  # noqa: BLE001 - the user's code, which need not take a probe picture
            return None
        finally:
            self.decoders.drawing = None

    def _made(self, item: int) -> Reading:
        sample = self._sample(item)
        # What a later item would write over, or a collate change, is copied first.
        planes = planes_of(sample)
        return Reading(planes | self._collated(sample), self.decoders)

    def _generators(self) -> dict[str, Any]:
        """Return the generators that the user's objects keep, those included that the first reading made."""
        if self.count == 1:
            return {}
        if self._kept is None:
            self._kept = gens.private_generators(roots(self._pipeline))
        return self._kept

    def _sample(self, item: int) -> Any:
        dataset: Any = self._pipeline.dataset
        if self._pipeline.spec.kind == "map":
            return dataset[item]
        return next(islice(iter(dataset), item, None))

    def _collated(self, sample: Any) -> Planes:
        """Return the pictures of a batch of this sample, where a collate of the user's makes them."""
        if self._collate is None:
            return {}
        try:
            return planes_of(self._collate([sample]))
        except Exception:  # noqa: BLE001 - the user's code, which need not take a batch of one
            return {}


def _loaded(path: str) -> Reading:
    import torch

    planes, rest = torch.load(path, weights_only=False)
    found = Reading({name: Plane(*one) for name, one in planes.items()}, Decoders())
    vars(found).update({name: value for name, value in rest.items() if name != "planes"})
    return found


def items_of(pipeline: Pipeline, session: Session, most: int) -> Iterator[int]:
    """Yield items from all over the dataset, or the first places of a stream."""
    if pipeline.spec.kind != "map":
        yield from range(min(most, 3))
        return
    length = pipeline.spec.dataset_length or 0
    deadly = set(session.read_note("deadly") or [])
    picked = [one for one in session.limits.ids if 0 <= one < length]
    picked = picked or [number * length // min(most, length) for number in range(min(most, length))]
    yield from (one for one in picked[:most] if str(one) not in deadly)
