"""Counts the values of class labels and segmentation masks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dldoctor.evidence.labels import ClassLabels
from dldoctor.finding import SampleId
from dldoctor.foreign import has
from dldoctor.intent import Inferred
from dldoctor.probes.look import as_tensor

KEPT = 64
MOST_VALUES = 4096
EXAMPLES = 5
SURE, GUESS = 0.7, 0.4


class ClassCounter:
    """Sums up every field of the batches that holds classes."""

    def __init__(self, roles: Mapping[str, Inferred], *, declared: bool = False) -> None:
        """Start; `roles` say which fields hold classes.

        Where a number of classes is `declared`, some field holds them: without a sure one, the guesses count.
        """
        self._kinds: dict[str, Literal["class_label", "segmentation_mask"]] = {}
        for path, one in roles.items():
            if one.role == "class_label" and one.confidence >= SURE:
                self._kinds[path] = "class_label"
            elif one.role == "segmentation_mask" and one.confidence >= SURE:
                self._kinds[path] = "segmentation_mask"
        self._certain = bool(self._kinds) or not declared
        if not self._certain:
            self._kinds = {
                path: "class_label"
                for path, one in roles.items()
                if one.role == "class_label" and one.confidence >= GUESS
            }
        self._counts: dict[str, Counter[int]] = {path: Counter() for path in self._kinds}
        self._examples: dict[str, dict[int, list[SampleId]]] = {path: {} for path in self._kinds}
        self._dtypes: dict[str, str] = {}
        self._fractional: set[str] = set()

    def add(self, leaves: Mapping[str, Any], samples: Sequence[SampleId]) -> None:
        """Count one batch."""
        for path in self._kinds:
            leaf = leaves.get(path)
            for row, tensor in _rows(leaf, len(samples)):
                self._dtypes.setdefault(path, str(tensor.dtype).removeprefix("torch."))
                self._count(path, tensor, samples[row] if row < len(samples) else None)

    def _count(self, path: str, tensor: Any, sample: SampleId | None) -> None:
        import torch

        if tensor.is_floating_point():
            if not bool((tensor == tensor.round()).all()) or (
                tensor.ndim and tensor.shape[-1:] and tensor.ndim > 2
            ):
                self._fractional.add(path)
                return
            tensor = tensor.nan_to_num(0.0)
        values, counts = torch.unique(tensor.long(), return_counts=True)
        if len(self._counts[path]) > MOST_VALUES:
            return
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            self._counts[path][value] += count
            known = self._examples[path].setdefault(value, [])
            if sample is not None and len(known) < EXAMPLES:
                known.append(sample)

    def evidence(self) -> tuple[ClassLabels, ...]:
        """Return the counts so far."""
        found = []
        for path, kind in self._kinds.items():
            counts = self._counts[path]
            if not counts and path not in self._fractional:
                continue
            ends = sorted(counts)[:4] + sorted(counts)[-4:]
            found.append(
                ClassLabels(
                    path=path,
                    kind=kind,
                    dtype=self._dtypes.get(path, ""),
                    values=tuple(counts.most_common(KEPT)),
                    low=min(counts, default=0),
                    high=max(counts, default=0),
                    elements=sum(counts.values()),
                    fractional=path in self._fractional,
                    certain=self._certain,
                    samples_of={
                        str(one): tuple(self._examples[path].get(one, ())) for one in dict.fromkeys(ends)
                    },
                )
            )
        return tuple(found)


def _rows(leaf: Any, samples: int) -> list[tuple[int, Any]]:
    if isinstance(leaf, (list, tuple)) and leaf and has(leaf[0], "shape"):
        pairs = [(row, as_tensor(item)) for row, item in enumerate(leaf)]
        return [(row, one) for row, one in pairs if one is not None and one.numel()]
    tensor = as_tensor(leaf)
    if tensor is None or not tensor.numel():
        return []
    if tensor.ndim and tensor.shape[0] == samples:
        return list(enumerate(tensor))
    return [(samples, tensor)]
