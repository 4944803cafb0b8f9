"""Finds the dataset's own name for a sample: a key, a path or a number that no other sample has."""

from __future__ import annotations

from typing import Any

from dldoctor.finding import SampleId
from dldoctor.probes.glance import Glance

NAMES = (
    "sample_id", "id", "uid", "uuid", "guid", "__key__", "key", "image_id", "img_id", "audio_id",
    "utt_id", "video_id", "doc_id", "example_id", "index", "idx", "file_name", "filename",
    "filepath", "file", "path", "image_path", "audio_path", "im_file", "__url__",
)  # fmt: skip
_WATCHED = 256
"""Samples after which the choice is settled."""


class OwnIds:
    """Watches the scalar fields of the first samples for one that is different in each."""

    def __init__(self, declared: str | None = None) -> None:
        """Start; `declared` is a path that the user named with ``--field sample_id=PATH``."""
        self.declared = declared
        self._values: dict[str, dict[Any, SampleId]] = {}
        self._clashed: set[str] = set()
        self._seen = 0
        self._names: dict[SampleId, dict[str, str]] = {}
        self._ids: set[SampleId] = set()

    def see(self, sample_id: SampleId, seen: Glance) -> None:
        """Look at one more sample."""
        if self._seen >= _WATCHED or sample_id in self._ids:
            return
        self._seen += 1
        self._ids.add(sample_id)
        for position, (path, container, _, _) in enumerate(seen.layout):
            value = seen.values[position]
            if not isinstance(value, (str, int)) or container in ("float", "bool"):
                continue
            known = self._values.setdefault(path, {})
            if value in known:
                self._clashed.add(path)
            known[value] = sample_id
            if len(self._names) < 64:
                self._names.setdefault(sample_id, {})[path] = str(value)

    def field(self) -> str | None:
        """Return the path of the own id, where one is likely."""
        if self.declared is not None:
            return self.declared
        if self._seen < 2:
            return None
        unique = [
            path
            for path, values in self._values.items()
            if path not in self._clashed and len(values) == self._seen
        ]
        by_name = {path.rsplit(".", 1)[-1].lower(): path for path in reversed(unique)}
        return next((by_name[name] for name in NAMES if name in by_name), None)

    def name_of(self, sample_id: SampleId) -> str | None:
        """Return the dataset's own name for one of the first samples."""
        path = self.field()
        return self._names.get(sample_id, {}).get(path) if path else None
