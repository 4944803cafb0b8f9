"""Collects the first samples and batches and tells the roles of their fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dldoctor.finding import SampleId
from dldoctor.intent import Inferred
from dldoctor.roles.flatten import leaves
from dldoctor.roles.infer import Digest, declare, infer
from dldoctor.roles.leaf import Leaf, leaf_of, together

BATCHES = 3
"""One batch can be degenerate: full rows, no image, equal texts."""
SAMPLES = 24


def digest(value: object) -> dict[str, Leaf]:
    """Return what is kept of a sample or batch to judge roles.

    It is small (a few thousand numbers a field), holds nothing of the user's, and can be pickled,
    so that a worker can send it instead of the sample.
    """
    return {path: leaf_of(leaf) for path, leaf in leaves(value)}


class RoleObserver:
    """Feed it samples and batches as they come; what is beyond the first few is ignored."""

    def __init__(self, batches: int = BATCHES, samples: int = SAMPLES) -> None:
        self._wanted = (batches, samples)
        self._batches: list[Digest] = []
        self._samples: list[tuple[SampleId, Digest]] = []
        self._found: tuple[dict[str, Inferred], dict[str, Inferred]] | None = None

    @property
    def wants_samples(self) -> bool:
        """Whether a further sample would be looked at."""
        return len(self._samples) < self._wanted[1]

    @property
    def wants_batches(self) -> bool:
        """Whether a further batch would be looked at."""
        return len(self._batches) < self._wanted[0]

    def sample(self, sample_id: SampleId, sample: object) -> None:
        """Take one sample of the dataset."""
        if self.wants_samples:
            self.sample_digest(sample_id, digest(sample))

    def sample_digest(self, sample_id: SampleId, seen: Digest) -> None:
        """Take one sample of which a worker sent the digest."""
        if self.wants_samples:
            self._samples.append((sample_id, seen))
            self._found = None

    def batch(self, batch: object) -> None:
        """Take one batch of the loader."""
        if self.wants_batches:
            self._batches.append(digest(batch))
            self._found = None

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
        of_batches, samples = self._judged()
        found = dict(of_batches)
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
        _, own = self._judged()
        paths = dict.fromkeys(path for _, seen in self._samples for path in seen)
        return {path: role for path in paths if (role := shared.get(path) or own.get(path))}

    def paths(self) -> list[str]:
        """Return every path that was seen, those of batches first."""
        return list(
            dict.fromkeys([*self._batch_paths(), *(path for _, seen in self._samples for path in seen)])
        )

    def _batch_paths(self) -> list[str]:
        return list(dict.fromkeys(path for seen in self._batches for path in seen))

    def _judged(self) -> tuple[dict[str, Inferred], dict[str, Inferred]]:
        if self._found is None:
            self._found = (infer(self._batches), self._infer_samples())
        return self._found

    def _infer_samples(self) -> dict[str, Inferred]:
        """Judge all samples together, as one batch that was not padded."""
        if not self._samples:
            return {}
        columns: dict[str, list[Leaf]] = {}
        for _, seen in self._samples:
            for path, leaf in seen.items():
                columns.setdefault(path, []).append(leaf)
        rows = {path: together(column) for path, column in columns.items()}
        return infer([rows], [tuple(sample_id for sample_id, _ in self._samples)])


def own_id_field(roles: Mapping[str, Inferred], paths: Sequence[str]) -> str | None:
    """Return the path that holds the dataset's own ids, if one does so likely enough."""
    known = [path for path in paths if path in roles and roles[path].role == "sample_id"]
    best = max(known, key=lambda path: roles[path].confidence, default=None)
    return best if best is not None and roles[best].confidence >= 0.7 else None
