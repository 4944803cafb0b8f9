"""The settings of the loader under test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SourceRef


@dataclass(frozen=True)
class LoaderSpec:
    """What the loader is and how it is set; every number of the run was measured under it."""

    kind: Literal["map", "iterable", "batches"]
    """`map` has indices, `iterable` is a stream of samples, `batches` an iterable that only
    shows its batches (no torch dataset was found inside)."""
    loader_type: str
    """Class of the loader, ``torch.utils.data.dataloader.DataLoader``."""
    dataset_type: str
    given: Literal["loader", "dataset", "pair"]
    """What the target was. Settings of a bare dataset or pair are ours unless `chosen`."""
    chosen: tuple[str, ...] = ()
    """Loader settings that the user gave by option."""
    view: Literal["inside", "outside"] = "inside"
    """`outside`: only ``next()`` could be observed, not the samples."""
    dataset_length: int | None = None
    """``len(dataset)``; null where it has none."""
    loader_length: int | None = None
    """Batches that ``len(loader)`` promises; null where it has none."""
    batch_size: int | None = None
    """Null with a batch sampler of the user's own, or where the dataset yields batches."""
    drop_last: bool = False
    shuffle: bool | None = None
    """Whether the sampler shuffles; null where that is not known."""
    replacement: bool = False
    """The sampler draws with replacement."""
    sampler_weights: int | None = None
    """Items that the sampler has weights for; it draws no other. Null where it has none."""
    sampler: str | None = None
    """What draws the indices: a batch sampler that holds no sampler draws them itself."""
    sampler_length: int | None = None
    """``len(sampler)``: items of one epoch of this rank; null where it has none."""
    batch_sampler: str | None = None
    num_workers: int = 0
    prefetch_factor: int | None = None
    pin_memory: bool = False
    persistent_workers: bool = False
    in_order: bool = True
    timeout_s: float = 0.0
    start_method: str | None = None
    """Start method in force for workers (the default of this Python where none is set)."""
    default_collate: bool = False
    """The collate function is torch's own."""
    collate: str | None = None
    dataset_ref: SourceRef | None = None
    collate_ref: SourceRef | None = None
    sampler_ref: SourceRef | None = None
    """The user's batch sampler or sampler, also inside of one of a library."""
    made_ref: SourceRef | None = None
    """The function of the user's that was called to make the loader; null where a finished one was given."""
    world_size: int = 1

    @property
    def order_ref(self) -> SourceRef | None:
        """The user's code that decides which items come, and in which order.

        Not the dataset of a map-style loader, which is only asked for indices: where its sampler is torch's
        own, it is whoever chose that.
        """
        return self.dataset_ref if self.kind != "map" else self.sampler_ref or self.made_ref

    @property
    def settings_known(self) -> bool:
        """Whether the loader settings are the user's; if not, what depends on them is not judged."""
        return self.given == "loader" or "batch_size" in self.chosen
