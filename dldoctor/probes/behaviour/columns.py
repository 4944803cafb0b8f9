"""Probe ``columns``: what a trainer takes out of the samples before its collate sees them."""

from __future__ import annotations

from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.workers import ColumnsEvidence
from dldoctor.foreign import attribute
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.targets import Pipeline
from dldoctor.targets.source_ref import name_of, source_of

SAMPLES = 4


class Recording(dict[str, Any]):
    """A sample that notes which of its absent columns somebody asked for."""

    def __init__(self, columns: dict[str, Any], asked: list[str]) -> None:
        """Hold what is left of the sample; write into `asked`."""
        super().__init__(columns)
        self.asked = asked

    def __missing__(self, key: str) -> Any:
        """Note the name, and be as any dict."""
        self.asked.append(key)
        raise KeyError(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a column, or the default."""
        if key not in self:
            return default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        """Take a column out."""
        if key not in self and default:
            return default[0]
        return super().pop(key)

    def __contains__(self, key: object) -> bool:
        present = super().__contains__(key)
        if not present and isinstance(key, str):
            self.asked.append(key)
        return present


def run(pipeline: Pipeline, session: Session) -> None:
    """Collate samples that record what is asked of them, and send."""
    collate = None if pipeline.torch_loader is None else vars(pipeline.torch_loader)["collate_fn"]
    kept, inner = attribute(collate, "signature_columns", None), attribute(collate, "data_collator", None)
    if kept is None or not callable(inner):
        session.missing("columns", "no trainer removes columns before this collate")
        return
    if pipeline.asks is not None:
        session.missing("columns", pipeline.no_index)
        return
    if pipeline.spec.kind != "map" or not pipeline.spec.dataset_length:
        session.missing("columns", "a stream has no item that could be collated on its own")
        return
    try:
        found = apart(session, lambda: _record(pipeline, session, set(kept), inner))
    except ApartDiedError as died:
        session.missing("columns", f"collating ended the process with {died}")
        return
    if found is None:
        session.missing("columns", "the samples are no dicts of columns")
        return
    session.evidence(
        "columns",
        ColumnsEvidence(
            in_data=tuple(found["data"]),
            in_signature=tuple(sorted(kept)),
            read_by_collate=tuple(found["asked"]),
            collate=name_of(inner),
            collate_ref=source_of(inner),
        ),
    )


def _record(pipeline: Pipeline, session: Session, kept: set[str], inner: Any) -> dict[str, Any] | None:
    dataset: Any = pipeline.dataset
    asked: list[str] = []
    columns: dict[str, None] = {}
    reduced = []
    try:
        for index in range(min(SAMPLES, pipeline.spec.dataset_length or 0)):
            session.note("getitem", index)
            sample = dataset[index]
            if not isinstance(sample, dict):
                return None
            columns.update(dict.fromkeys(map(str, sample)))
            reduced.append(Recording({key: value for key, value in sample.items() if key in kept}, asked))
        inner(reduced)
    except Exception:  # noqa: BLE001, S110 - the user's code; what it asked for before it raised is what counts
        pass
    return {"data": list(columns), "asked": [name for name in dict.fromkeys(asked) if name in columns]}
