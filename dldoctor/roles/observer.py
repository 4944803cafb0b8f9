"""Collects the first samples and batches and tells the roles of their fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.finding import SampleId
from dldoctor.intent import Inferred
from dldoctor.roles.flatten import leaves
from dldoctor.roles.infer import Digest, declare, infer
from dldoctor.roles.leaf import Leaf, leaf_of, leaf_of_items

BATCHES = 3
"""One batch can be degenerate: full rows, no image, equal texts."""
SAMPLES = 24
SAMPLE_BYTES = 1 << 26
"""What the samples that are held until they are judged may take."""


def digest(value: object) -> dict[str, Leaf]:
    """Return what is kept of a batch to judge roles; small, and free of the user's objects."""
    return {path: leaf_of(leaf) for path, leaf in leaves(value)}


class RoleObserver:
    """Feed it samples and batches as they come; what is beyond the first few is ignored.

    Samples are held as they are until the roles are asked for (24 at most, and 64 MB of tensors),
    batches only as digests.
    """

    def __init__(self, batches: int = BATCHES, samples: int = SAMPLES) -> None:
        self._wanted = (batches, samples)
        self._batches: list[Digest] = []
        self._samples: list[tuple[SampleId, list[tuple[str, Any]]]] = []
        self._held_bytes = 0

    @property
    def wants_samples(self) -> bool:
        """Whether a further sample would be looked at."""
        return len(self._samples) < self._wanted[1] and self._held_bytes < SAMPLE_BYTES

    @property
    def wants_batches(self) -> bool:
        """Whether a further batch would be looked at."""
        return len(self._batches) < self._wanted[0]

    def sample(self, sample_id: SampleId, sample: object) -> None:
        """Take one sample of the dataset."""
        if self.wants_samples:
            found = leaves(sample)
            self._samples.append((sample_id, found))
            self._held_bytes += sum(int(getattr(leaf, "nbytes", 0) or 0) for _, leaf in found)

    def batch(self, batch: object) -> None:
        """Take one batch of the loader."""
        if self.wants_batches:
            self._batches.append(digest(batch))

    def roles(self, declared: Mapping[str, str] | None = None) -> dict[str, Inferred]:
        """Return the roles of the fields of batches, and of samples where no batch has the path.

        `declared` maps role to path and wins; an unknown path raises `ConfigError`.
        """
        of_batches, of_samples = self.batch_roles(), self.sample_roles()
        merged = {
            **{path: role for path, role in of_samples.items() if path not in self._batch_paths()},
            **of_batches,
        }
        return declare(merged, declared or {}, self.paths())

    def batch_roles(self) -> dict[str, Inferred]:
        """Return the inferred roles of the fields of batches."""
        found = infer(self._batches)
        samples = self._infer_samples()
        for path in self._batch_paths():
            # Only samples come with their ids, and they are more than the rows of one batch.
            known = samples.get(path)
            mine = found.get(path)
            if known and (mine is None or (known.role == mine.role and known.confidence > mine.confidence)):
                found[path] = known
        return found

    def sample_roles(self) -> dict[str, Inferred]:
        """Return the roles of the fields of samples; a path that batches have shares their role."""
        shared = self.batch_roles()
        own = self._infer_samples()
        paths = dict.fromkeys(path for _, sample in self._samples for path, _ in sample)
        return {path: role for path in paths if (role := shared.get(path) or own.get(path))}

    def paths(self) -> list[str]:
        """Return every path that was seen, those of batches first."""
        return list(
            dict.fromkeys([*self._batch_paths(), *(p for _, sample in self._samples for p, _ in sample)])
        )

    def _batch_paths(self) -> list[str]:
        return list(dict.fromkeys(path for seen in self._batches for path in seen))

    def _infer_samples(self) -> dict[str, Inferred]:
        """Judge all samples together, as one batch that was not padded."""
        if not self._samples:
            return {}
        columns: dict[str, list[Any]] = {}
        for _, sample in self._samples:
            for path, leaf in sample:
                columns.setdefault(path, []).append(leaf)
        together = {path: leaf_of_items(column) for path, column in columns.items()}
        return infer([together], [tuple(sample_id for sample_id, _ in self._samples)])


def own_id_field(roles: Mapping[str, Inferred], paths: Sequence[str]) -> str | None:
    """Return the path that holds the dataset's own ids, if one does so likely enough."""
    known = [path for path in paths if path in roles and roles[path].role == "sample_id"]
    best = max(known, key=lambda path: roles[path].confidence, default=None)
    return best if best is not None and roles[best].confidence >= 0.7 else None
