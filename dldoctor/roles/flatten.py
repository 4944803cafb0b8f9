"""A sample or batch of any shape as a flat list of paths and leaves.

``{"image": t, "meta": {"size": (3, 4)}}`` has the leaves ``image`` and ``meta.size``. A list of
numbers or of texts is one leaf, and so is a list of tensors inside a sample or batch. A list of
records (detection targets, an uncollated batch, chat messages) is read by column:
``[{"boxes": a}, {"boxes": b}]`` has the leaf ``boxes`` with the value ``[a, b]``. Records whose tensors all
have as many rows as the rest of the batch, and of which there are not so many, are parts of it that lie side by
side (``[features_a, features_b], labels``): each keeps its place in the paths.

It runs for each sample in the user's workers, so it dispatches on types and touches no values,
and it never calls a property of an object that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.roles.kinds import LAST_LEAF, Kind, kind_of

Leaves = list[tuple[str, Any]]

BARE = "value"
"""Path of a sample that is itself a leaf."""
MAX_DEPTH = 8
MAX_LEAVES = 512
MAX_POSITIONS = 32
"""A longer sequence of unlike things is one leaf."""
MAX_FIELDS = 8
"""A longer top-level sequence of like tensors is one leaf: a list of samples, not of fields."""
MAX_OBJECTS = 2
"""Unknown objects inside of one another that are looked into."""

_RECORDS = {Kind.MAPPING, Kind.NAMED, Kind.FIELDS}
_DATA = {Kind.TENSOR, Kind.IMAGE, Kind.ARRAY}
_PLAIN = ({Kind.NUMBER}, {Kind.TEXT}, set[Kind]())


def leaves(value: object) -> Leaves:
    """Return path and value of each leaf, in the order of the value; nothing is copied."""
    walk = _Walk(value)
    walk.enter("", value, 0, 0)
    return walk.found


def escaped(key: object) -> str:
    r"""Return a key as one step of a path: dots in it are written as ``\.``."""
    text = str(key)
    if not text or text.isspace():
        return repr(text)  # nothing would be seen of it
    return text.replace("\\", "\\\\").replace(".", "\\.")


class _Walk:
    """One walk: what was found, and the containers that are open (a cycle ends there)."""

    __slots__ = ("found", "open", "root")

    def __init__(self, root: object) -> None:
        self.root = root
        self.found: Leaves = []
        self.open: set[int] = set()

    def leaf(self, path: str, value: object) -> None:
        if len(self.found) < MAX_LEAVES:
            self.found.append((path or BARE, value))

    def enter(self, path: str, value: Any, depth: int, objects: int) -> None:
        kind = kind_of(type(value))
        if kind <= LAST_LEAF or depth > MAX_DEPTH or (kind is Kind.ARRAY and value.dtype.hasobject is False):
            self.leaf(path, value)
            return
        if id(value) in self.open or len(self.found) >= MAX_LEAVES:
            return
        self.open.add(id(value))
        if kind is Kind.SEQUENCE:
            self.sequence(path, value, depth, objects)
        elif kind is Kind.ARRAY:
            self.sequence(path, value.tolist() if value.ndim else [value.item()], depth, objects)
        else:
            self.record(path, value, kind, depth, objects)
        self.open.discard(id(value))

    def record(self, path: str, value: object, kind: Kind, depth: int, objects: int) -> None:
        objects += kind is Kind.OBJECT
        pairs = None if objects > MAX_OBJECTS else _pairs(value, kind)
        if pairs is None or len(pairs) > MAX_LEAVES:
            self.leaf(path, value)
        else:
            self.pairs(path, pairs, depth, objects)

    def pairs(self, path: str, pairs: Iterable[tuple[object, Any]], depth: int, objects: int) -> None:
        prefix = f"{path}." if path else ""
        for key, item in pairs:
            step = prefix + (key if type(key) is str and key.isidentifier() else escaped(key))
            if kind_of(type(item)) <= LAST_LEAF and len(self.found) < MAX_LEAVES:
                self.found.append((step, item))
            else:
                self.enter(step, item, depth + 1, objects)

    def sequence(self, path: str, value: Sequence[Any], depth: int, objects: int) -> None:
        kinds = {kind_of(cls) for cls in set(map(type, value))} - {Kind.NONE}
        # A tuple that is the whole sample or batch holds fields, whatever they are.
        fields = not path and isinstance(value, tuple) and len(value) <= MAX_POSITIONS and len(value) > 0
        if kinds <= _RECORDS and kinds and not fields and _alike(value):
            if path and _are_groups(value, self.root):
                self.pairs(path, enumerate(value), depth, objects)
            else:
                self.columns(path, value, depth, objects)
        elif not path and isinstance(value, list) and _are_tuples(value, kinds):
            self.pairs(
                path, [(i, list(column)) for i, column in enumerate(zip(*value, strict=True))], depth, objects
            )
        elif fields or _holds_fields(path, value, kinds):
            self.pairs(path, enumerate(value), depth, objects)
        else:
            self.leaf(path, value)

    def columns(self, path: str, records: Sequence[Any], depth: int, objects: int) -> None:
        rows = [dict(_pairs(record, kind_of(type(record))) or ()) for record in records]
        keys = dict.fromkeys(key for row in rows for key in row)
        self.pairs(path, [(key, [row.get(key) for row in rows]) for key in keys], depth, objects)


def _pairs(value: Any, kind: Kind) -> list[tuple[Any, Any]] | None:
    """Return the fields of a record; None where it has none that can be read."""
    if kind is Kind.NONE:
        return []
    if kind is Kind.NAMED:
        return list(zip(value._fields, value, strict=True))
    if kind is Kind.FIELDS:
        return _declared(value)
    try:
        if kind is Kind.MAPPING:
            if isinstance(value, dict):
                return list(value.items())
            return [(key, value[key]) for key in list(value.keys())]
        if callable(attribute(type(value), "to_dict", None)):
            return list(value.to_dict().items())
    except Exception:  # noqa: BLE001 - the user's own container; a leaf that cannot be opened is a leaf
        return None
    public = [(name, item) for name, item in vars(value).items() if not name.startswith("_")]
    return public or list(vars(value).items()) or None


def _declared(value: Any) -> list[tuple[str, Any]]:
    # From the instance where it is stored there, because a property of the same name may do work.
    names = attribute(value, "__dataclass_fields__", None) or [a.name for a in value.__attrs_attrs__]
    stored = attribute(value, "__dict__", None)
    if stored is not None:
        return [(name, stored[name]) for name in names if name in stored]
    return [(name, getattr(value, name)) for name in names if has(value, name)]


def _alike(records: Sequence[Any]) -> bool:
    """Records of one form, not two different parts of one sample that lie side by side."""
    keys = [frozenset(key for key, _ in _pairs(record, kind_of(type(record))) or ()) for record in records]
    return len(keys) == 1 or len(keys) > MAX_FIELDS or bool(frozenset.intersection(*keys)) or not any(keys)


def _are_groups(records: Sequence[Any], root: object) -> bool:
    """Whether the records are whole groups of fields of one batch, and not one record for each of its rows."""
    if not 2 <= len(records) <= MAX_FIELDS:
        return False
    parts = [part for record in records for _, part in _pairs(record, kind_of(type(record))) or ()]
    inside = _rows_of(parts)
    return len(inside) == 1 and len(records) not in inside and inside == _rows_of(_beside(root))


def _beside(root: Any) -> list[Any]:
    """Return what lies in a batch itself, and not in a container of its."""
    kind = kind_of(type(root))
    return list(root) if kind is Kind.SEQUENCE else [part for _, part in _pairs(root, kind) or ()]


def _rows_of(parts: Iterable[Any]) -> set[int | None]:
    """Return the numbers of rows of all tensors and arrays; null stands for something that has none."""
    known = (part for part in parts if kind_of(type(part)) in (Kind.TENSOR, Kind.ARRAY))
    return {part.shape[0] if len(part.shape) else None for part in known}


def _are_tuples(value: list[Any], kinds: set[Kind]) -> bool:
    """Samples that were not collated: equally long tuples of anything but numbers."""
    if kinds != {Kind.SEQUENCE} or not all(isinstance(item, tuple) for item in value):
        return False
    if len({len(item) for item in value}) != 1 or not value[0]:
        return False
    return {kind_of(type(part)) for part in value[0]} not in ({Kind.NUMBER}, {Kind.TEXT})


def _holds_fields(path: str, value: Sequence[Any], kinds: set[Kind]) -> bool:
    if kinds in _PLAIN or len(value) > MAX_POSITIONS:
        return False
    if kinds <= _DATA:
        return not path and (len(value) <= MAX_FIELDS or not _one_form(value))
    if kinds == {Kind.SEQUENCE}:
        inner = {kind_of(type(part)) for item in value if item is not None for part in item[:4]}
        return not path and len(value) <= MAX_FIELDS and inner not in ({Kind.NUMBER}, set())
    return len(kinds) > 1 or (not path and kinds <= _RECORDS)


def _one_form(value: Sequence[Any]) -> bool:
    forms = {(type(item), attribute(item, "dtype", None), attribute(item, "ndim", None)) for item in value}
    return len(forms) == 1
