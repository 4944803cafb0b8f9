"""Probe ``class_maps``: the classes that the dataset, or what it wraps, says it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.splits import ClassMap, ClassMaps
from dldoctor.foreign import attribute, has

_MAPS = (
    "class_to_idx",
    "class_to_id",
    "classes_to_idx",
    "label2id",
    "label_to_id",
    "cat2label",
    "name_to_id",
)
_LISTS = ("classes", "class_names", "CLASSES", "label_names", "labels_names", "idx_to_class", "id2label")
_INSIDE = ("dataset", "datasets", "data", "ds")
DEEPEST = 6
LARGEST = 2000


def run(pipeline: Any, session: Session) -> None:
    """Send the branch ``class_maps``."""
    found = list(_maps(pipeline.dataset, "dataset", 0)) if pipeline.dataset is not None else []
    session.evidence("class_maps", ClassMaps(tuple(found)))


def _maps(obj: Any, at: str, depth: int) -> Iterator[ClassMap]:
    own = attribute(obj, "__dict__", {})
    for name in (*_MAPS, *_LISTS):
        ids = _ids(own.get(name, attribute(type(obj), name, None)))
        if ids:
            yield ClassMap(f"{at}.{name}", ids)
            break
    else:
        yield from _of_features(obj, at)
    if depth >= DEEPEST:
        return
    for name in _INSIDE:
        inner = own.get(name)
        if isinstance(inner, list | tuple) and inner:
            yield from _maps(inner[0], f"{at}.{name}[0]", depth + 1)
        elif inner is not None and has(inner, "__dict__"):
            yield from _maps(inner, f"{at}.{name}", depth + 1)


def _of_features(obj: Any, at: str) -> Iterator[ClassMap]:
    """Yield the class labels of a Hugging Face dataset."""
    features = attribute(obj, "features", None) if has(type(obj), "features") else None
    for name, feature in features.items() if isinstance(features, Mapping) else ():
        ids = _ids(getattr(feature, "names", None))
        if ids:
            yield ClassMap(f"{at}.features[{name}]", ids)


def _ids(value: Any) -> dict[str, int] | None:
    """Return class names with their ids, if the value says that in one of the usual ways."""
    if isinstance(value, Mapping) and 0 < len(value) <= LARGEST:
        if all(type(one) is int for one in value.values()) and all(isinstance(k, str) for k in value):
            return dict(value)
        if all(type(key) is int for key in value) and all(isinstance(v, str) for v in value.values()):
            return {name: key for key, name in value.items()}
        return None
    if (
        isinstance(value, list | tuple)
        and 0 < len(value) <= LARGEST
        and all(isinstance(v, str) for v in value)
    ):
        return {name: i for i, name in enumerate(value)} if len(set(value)) == len(value) else None
    return None
