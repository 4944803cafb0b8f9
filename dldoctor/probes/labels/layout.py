"""Which fields of a batch belong together: token ids with their labels, masks, positions, documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dldoctor.evidence.labels import LabelGroup, LabelKind, MaskKind
from dldoctor.foreign import attribute
from dldoctor.intent import Inferred, Intent
from dldoctor.probes.labels.agreement import kind_of_labels
from dldoctor.probes.labels.belonging import belongs, pads_another
from dldoctor.probes.labels.tables import FILL, table_of
from dldoctor.roles.names import name_of
from dldoctor.roles.padding import padding_of

GUESS, SURE = 0.4, 0.7
VARIED = 8
"""Fewer different ids are classes rather than words."""
_FIRST_MASK_VALUES = 1 << 16


def groups_of(
    leaves: Mapping[str, Any], roles: Mapping[str, Inferred], intent: Intent, samples: int
) -> tuple[LabelGroup, ...]:
    """Return the groups of one batch; empty where it has neither token ids nor text labels."""
    tables = {path: table_of(leaf, samples) for path, leaf in leaves.items() if path in roles}
    found = [
        _group(path, leaves, tables, roles, intent)
        for path in _paths(roles, "token_ids", tables)
        if not name_of(path).startswith("decoder_")
    ]
    taken = {group.labels for group in found}
    # Without token ids in one row as well, a row of labels has one number a sample.
    flat = samples <= 1 and all(_axes(leaves[group.tokens]) == 1 for group in found)
    for path in _paths(roles, "labels", tables):
        table = tables[path]
        if path not in taken and table.shape[1] > 1 and _is_text(leaves[path], flat=flat):
            found.append(decoder(path, table, roles, intent))
    return tuple(found)


def _is_text(leaf: Any, *, flat: bool) -> bool:
    """Whether a field can be labels of tokens: real numbers, and one number a sample, are targets of another kind."""
    item = leaf
    while isinstance(item, (list, tuple)) and item:
        item = item[0]
    real = isinstance(item, float) or "float" in str(attribute(item, "dtype", ""))
    return not real and (flat or _axes(leaf) > 1)


def _axes(leaf: Any) -> int:
    if isinstance(leaf, (list, tuple)):
        return 1 + max((_axes(item) for item in leaf[:1]), default=0)
    return int(attribute(leaf, "ndim", 0))


def _paths(roles: Mapping[str, Inferred], role: str, tables: Mapping[str, Any]) -> list[str]:
    known = [
        path for path, one in roles.items()
        if one.role == role and one.confidence >= GUESS and tables.get(path) is not None
    ]  # fmt: skip
    sure = [path for path in known if roles[path].confidence >= SURE]
    return sure or known


def _group(
    tokens: str,
    leaves: Mapping[str, Any],
    tables: Mapping[str, Any],
    roles: Mapping[str, Inferred],
    intent: Intent,
) -> LabelGroup:
    ids = tables[tokens]
    texts = _paths(roles, "token_ids", tables)
    roles = _own_fields(tokens, texts, tables, roles)
    beside = {
        role: _nearest(
            tokens, [path for path in _paths(roles, role, tables) if tables[path].shape == ids.shape]
        )
        for role in ("labels", "loss_mask", "position_ids", "segment_ids")
    }
    mask, kind = _mask(tokens, ids, leaves, tables, roles)
    loss = beside["loss_mask"]
    if (
        loss is not None
        and roles[loss].confidence < SURE
        and _trains_padding(tables[loss], mask, kind, tables)
    ):
        beside["loss_mask"] = None
    bounds = _bounds(tokens, ids, tables, roles)
    group = LabelGroup(
        tokens=tokens,
        labels=beside["labels"],
        mask=mask,
        mask_kind=kind,
        loss_mask=beside["loss_mask"],
        positions=beside["position_ids"],
        boundaries=beside["segment_ids"] or bounds or (mask if kind in ("documents", "bounds") else None),
        certain=roles[tokens].confidence >= SURE
        and all(
            path is None or roles[path].confidence >= SURE for path in (beside["labels"], beside["loss_mask"])
        ),
    )
    ignored = None
    label_kind: LabelKind = "same" if group.loss_mask else "none"
    if group.labels is not None:
        labels = tables[group.labels]
        ignored = ignored_value(labels, intent)
        label_kind = declared_kind(ids, labels, ignored, intent)
        if label_kind == "apart":  # a text of its own, of the same width: an encoder-decoder batch
            group, label_kind, ignored = replace(group, labels=None), "none", None
    used = [path for path in (group.labels, group.mask, group.positions, group.boundaries) if path]
    why = "; ".join(f"{path}: {roles[path].why}" for path in dict.fromkeys(used) if path in roles)
    return replace(group, label_kind=label_kind, ignored=ignored, why=why)


def declared_kind(ids: Any, labels: Any, ignored: int | None, intent: Intent) -> LabelKind:
    """Return what labels are; where masked words are to be guessed, those that are not moved are such words."""
    kind = kind_of_labels(ids, labels, ignored)
    return "mlm" if intent.task == "mlm" and kind != "shifted" else kind


def _own_fields(
    tokens: str, texts: list[str], tables: Mapping[str, Any], roles: Mapping[str, Inferred]
) -> Mapping[str, Inferred]:
    """Return the fields without those of the other texts, which may be of the same width."""
    ids = tables[tokens]
    others = [tables[one] for one in texts if one != tokens and tables[one].shape == ids.shape]

    def of_another(path: str, role: str) -> bool:
        mine, table = belongs(path, tokens, texts), tables.get(path)
        if mine is not None or not others or table is None or table.shape != ids.shape:
            return mine is False
        if role == "attention_mask":
            return pads_another(table, ids, others)
        return role == "labels" and not _labels(ids, table) and any(_labels(one, table) for one in others)

    return {path: one for path, one in roles.items() if not of_another(path, one.role)}


def _labels(ids: Any, labels: Any) -> bool:
    """Whether labels are those of a text, by their values."""
    return kind_of_labels(ids, labels, ignored_value(labels, Intent())) in ("same", "shifted", "mlm")


def decoder(path: str, labels: Any, roles: Mapping[str, Inferred], intent: Intent) -> LabelGroup:
    """Return the group of labels that are a text of their own."""
    return LabelGroup(
        tokens=path,
        labels=path,
        label_kind="same",
        decoder=True,
        ignored=ignored_value(labels, intent),
        certain=roles[path].confidence >= SURE,
        why=f"{path}: {roles[path].why}",
    )


def is_padded_text(path: str, labels: Any) -> bool:
    """Whether labels are called so and hold texts of different lengths that one id fills up."""
    padding = padding_of(labels)
    return (
        name_of(path) == "labels"
        and padding.source == "values"
        and len(set(padding.lengths)) > 1
        and int(labels.unique().numel()) >= VARIED
    )


def _nearest(tokens: str, paths: list[str]) -> str | None:
    """Return the path that shares most of its beginning: `chosen_labels` for `chosen_input_ids`."""
    if not paths:
        return None
    return max(paths, key=lambda path: (_shared(path, tokens), -paths.index(path)))


def _shared(one: str, other: str) -> int:
    """Return how many characters two paths share from their beginning."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _mask(
    tokens: str, ids: Any, leaves: Mapping[str, Any], tables: Mapping[str, Any], roles: Mapping[str, Inferred]
) -> tuple[str | None, MaskKind]:
    paths = [path for path, one in roles.items() if one.role == "attention_mask" and one.confidence >= GUESS]
    flat = [path for path in paths if tables.get(path) is not None and tables[path].shape == ids.shape]
    if (path := _nearest(tokens, flat)) is not None:
        return path, kind_of_mask(tables[path], ids)
    for path in paths:
        shape = tuple(attribute(leaves.get(path), "shape", ()))
        if len(shape) in (3, 4) and shape[-1] == shape[-2] == ids.shape[1]:
            return path, "block"
    return None, "none"


def kind_of_mask(mask: Any, ids: Any) -> MaskKind:
    """Tell flags, flags that are on where nothing is to be seen, and numbers of documents."""
    if int(mask.max()) > 1:
        return "documents"
    on, off = ids[mask != 0], ids[mask == 0]
    if not off.numel() or not on.numel():
        return "flags"
    # On only where the ids are one and the same, and off where they differ.
    on_one, off_one = bool((on == on[0]).all()), bool((off == off[0]).all())
    return "inverted" if on_one and not off_one else "flags"


def _trains_padding(loss: Any, mask: str | None, kind: MaskKind, tables: Mapping[str, Any]) -> bool:
    """Whether flags that were taken for a loss mask are on under mask 0: flags of something of the same width are."""
    if mask is None or kind not in ("flags", "documents"):
        return False
    return bool(((loss != 0) & (tables[mask] == 0)).any())


def _bounds(tokens: str, ids: Any, tables: Mapping[str, Any], roles: Mapping[str, Inferred]) -> str | None:
    fits = [
        path
        for path, one in roles.items()
        if one.role == "document_lengths" and one.confidence >= SURE and tables.get(path) is not None
        and bounds_fit(tables[path], ids)
    ]  # fmt: skip
    return _nearest(tokens, fits)


def bounds_fit(bounds: Any, ids: Any) -> bool:
    """Whether numbers rise from 0 to the tokens of the whole table, or of each row."""
    for row in bounds:
        kept = row[row >= 0]
        if kept.numel() < 2 or int(kept[0]) or not bool((kept[1:] > kept[:-1]).all()):
            return False
        if int(kept[-1]) not in (ids.numel(), ids.shape[1]):
            return False
    return bounds.shape[0] in (1, ids.shape[0])


def ignored_value(labels: Any, intent: Intent) -> int | None:
    """Return the value of ignored labels: the declared one, else -100, else the only negative one."""
    negative = labels[(labels < 0) & (labels != FILL)]
    if intent.ignore_index is not None:
        return intent.ignore_index
    if not negative.numel():
        return None
    if bool((negative == -100).any()):
        return -100
    first = int(negative[0])
    return first if bool((negative == first).all()) else None
