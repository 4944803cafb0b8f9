"""What is kept of one leaf to judge its role: its form, and a bounded part of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from dldoctor.roles.kinds import Kind, kind_of

if TYPE_CHECKING:
    from torch import Tensor

KEPT = 1 << 14
"""Elements kept of a table of numbers: whole rows, so that fields can be compared."""
KEPT_OF_MEDIA = 4096
"""Elements kept of images, sound and other tensors of three axes or more with real numbers."""
KEPT_TEXTS = 256
TEXTS_OF_ITEM = 8
TEXT_LENGTH = 200
LISTED = 1024
"""Items of a list that are looked at."""

Form = Literal["int", "bool", "float", "text", "image", "none", "object"]


@dataclass(frozen=True)
class Leaf:
    """One leaf of one batch (or of all first samples together, one row a sample)."""

    form: Form
    shape: tuple[int, ...] = ()
    """Of a ragged list: the number of items, then 0 for each axis in which they differ."""
    lengths: tuple[int, ...] | None = None
    """First axes of the items, where they lie one after the other in `values`."""
    sizes: tuple[tuple[int, ...], ...] = ()
    """Shapes of the items of a list of tensors, images as (height, width)."""
    values: Any = None
    """A flat or shaped tensor of int64, bool or float32; null where there are no numbers."""
    texts: tuple[str, ...] = ()
    total: int = 0
    """Elements of the whole leaf."""
    unsigned_bytes: bool = False
    """The dtype is uint8, as of pixels."""

    @property
    def table(self) -> Tensor:
        """The kept values; only for numbers."""
        table: Tensor = self.values
        return table

    @property
    def whole(self) -> bool:
        """Whether the numbers are whole numbers or flags by dtype."""
        return self.form in ("int", "bool")

    @cached_property
    def low(self) -> float:
        """Smallest kept value."""
        return float(self.table.min()) if self.values is not None and self.values.numel() else 0.0

    @cached_property
    def high(self) -> float:
        """Largest kept value."""
        return float(self.table.max()) if self.values is not None and self.values.numel() else 0.0

    @cached_property
    def distinct(self) -> int:
        """Different kept values."""
        if self.values is None:
            return len(set(self.texts))
        return different(self.table)

    @cached_property
    def binary(self) -> bool:
        """Only 0 and 1 (or flags)."""
        if self.values is None or not self.values.numel():
            return False
        return self.form == "bool" or bool(((self.table == 0) | (self.table == 1)).all())

    @cached_property
    def integral(self) -> bool:
        """Only finite whole numbers, whatever the dtype."""
        if self.whole:
            return True
        if self.values is None or not self.values.numel():
            return False
        return bool(((self.table == self.table.round()) & self.table.isfinite()).all())

    def same_layout(self, other: Leaf) -> bool:
        """Whether both have a value at each position of the other."""
        return self.shape == other.shape and self.lengths == other.lengths and self.total == other.total

    def __getstate__(self) -> dict[str, Any]:
        """Travel without shared memory: values as a list, facts computed anew."""
        state = {name: self.__dict__[name] for name in self.__dataclass_fields__}
        if self.values is not None:
            state["values"] = (
                str(self.values.dtype).removeprefix("torch."),
                self.values.tolist(),
                self.values.shape,
            )
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the tensor again."""
        if state["values"] is not None:
            import torch

            dtype, items, shape = state["values"]
            state["values"] = torch.tensor(items, dtype=getattr(torch, dtype)).reshape(tuple(shape))
        self.__dict__.update(state)


def different(values: Tensor) -> int:
    """Return how many different values there are."""
    import torch

    return int(torch.unique(values).numel())


def leaf_of(value: object) -> Leaf:
    """Return what is kept of one value."""
    kind = kind_of(type(value))
    if kind is Kind.NONE:
        return Leaf("none")
    if kind is Kind.TEXT:
        return Leaf("text", (), texts=(_text(value),), total=1)
    if kind is Kind.NUMBER:
        return _of_numbers([value], shape=())
    if kind is Kind.IMAGE:
        return _of_images([value], shape=())
    if kind in (Kind.TENSOR, Kind.ARRAY):
        tensor = _tensor(value)
        return Leaf("object") if tensor is None else _of_tensor(tensor)
    if kind is Kind.SEQUENCE:
        return _of_list(value)  # type: ignore[arg-type]  # its kind is that of lists and tuples
    return Leaf("object")


def together(leaves: Sequence[Leaf]) -> Leaf:
    """Return one leaf, a row each, for many values of one field: items of a list, or samples.

    Items of one shape are stacked; sequences and tables of several lengths lie end to end.
    """
    kept = [leaf for leaf in leaves if leaf.form != "none"]
    if not kept:
        return Leaf("none", (len(leaves),))
    forms = {leaf.form for leaf in kept}
    if forms == {"text"}:
        texts = [text for leaf in kept for text in leaf.texts[:TEXTS_OF_ITEM]][:KEPT_TEXTS]
        return Leaf("text", (len(kept),), texts=tuple(texts), total=sum(leaf.total for leaf in kept))
    if forms == {"image"}:
        return Leaf(
            "image", (len(kept),), sizes=tuple(size for leaf in kept for size in leaf.sizes), total=len(kept)
        )
    if not forms <= {"int", "bool", "float"} or any(leaf.lengths for leaf in kept):
        return Leaf("object", (len(kept),))
    return _joined(kept)


def _of_tensor(tensor: Tensor) -> Leaf:
    import torch

    form: Form = "bool" if tensor.dtype == torch.bool else "float" if tensor.is_floating_point() else "int"
    bytes_ = tensor.dtype == torch.uint8
    media = tensor.ndim >= 3 and (form == "float" or bytes_)
    kept = _spread(tensor) if media else _first_rows(tensor)
    plain = {"float": torch.float32, "bool": torch.bool}.get(form, torch.int64)
    values = kept.to(plain, copy=True)
    return Leaf(form, tuple(tensor.shape), values=values, total=tensor.numel(), unsigned_bytes=bytes_)


def _spread(tensor: Tensor) -> Tensor:
    """Return elements from all over the first items, for ranges and counts of values."""
    if tensor.numel() <= KEPT_OF_MEDIA:
        return tensor
    part = tensor if tensor.is_contiguous() else tensor[:1]
    return part.flatten()[:: -(-part.numel() // KEPT_OF_MEDIA)]


def _first_rows(tensor: Tensor) -> Tensor:
    """Return whole rows; of rows that are very long, the beginning of the first."""
    if tensor.numel() <= KEPT:
        return tensor
    row = tensor.numel() // tensor.shape[0]
    part = tensor[: max(KEPT // row, 1)]
    return part if row <= 2 * KEPT else part[0].flatten()[:KEPT]


def _joined(kept: Sequence[Leaf]) -> Leaf:
    import torch

    shapes = tuple(leaf.shape for leaf in kept)
    full = [leaf for leaf in kept if leaf.total] or [kept[0]]
    total = sum(leaf.total for leaf in kept)
    form, one_byte = full[0].form, all(leaf.unsigned_bytes for leaf in kept)
    if len({len(shape) for shape in shapes}) > 1:
        return Leaf("object", (len(kept),), sizes=shapes)
    few = full[: max(1, 2 * KEPT // max(leaf.table.numel() for leaf in full))] if total else full[:1]
    tables = [leaf.table.to(full[0].table.dtype) for leaf in few]
    whole = all(leaf.table.numel() == leaf.total for leaf in few)
    if len(set(shapes)) == 1:
        values = torch.stack(tables) if whole else torch.cat([table.flatten() for table in tables])
        return Leaf(form, (len(kept), *shapes[0]), None, shapes, values, (), total, one_byte)
    axes = tuple(axis[0] if len(set(axis)) == 1 else 0 for axis in zip(*shapes, strict=True))
    joinable = whole and len(shapes[0]) <= 2 and len({leaf.shape[1:] for leaf in full}) == 1
    values = torch.cat(tables) if joinable else torch.cat([table.flatten() for table in tables])
    lengths = tuple(shape[0] for shape in shapes)
    return Leaf(form, (len(kept), *axes), lengths, shapes, values, (), total, one_byte)


def _of_list(items: Sequence[Any]) -> Leaf:
    kinds = {kind_of(type(item)) for item in items}
    if kinds == {Kind.NUMBER}:
        return _of_numbers(items, shape=(len(items),))
    return together([leaf_of(item) for item in items[:LISTED]])


def _of_numbers(numbers: Sequence[Any], shape: tuple[int, ...]) -> Leaf:
    tensor = _tensor(list(numbers))
    if tensor is None:
        return Leaf("object", shape)
    leaf = _of_tensor(tensor)
    values = leaf.table if shape else leaf.table.reshape(())
    return Leaf(leaf.form, shape, values=values, total=leaf.total)


def _of_images(images: Sequence[Any], shape: tuple[int, ...]) -> Leaf:
    # `size` of a Pillow image is a stored pair; nothing is decoded.
    sizes = tuple((int(image.size[1]), int(image.size[0])) for image in images)
    return Leaf("image", shape, sizes=sizes, total=len(sizes))


def _tensor(value: Any) -> Tensor | None:
    """Return a plain tensor on the CPU, or None for what has no numbers in a regular form."""
    import torch

    try:
        if kind_of(type(value)) is Kind.TENSOR:
            plain: Tensor = value.detach().as_subclass(torch.Tensor)
            if plain.layout != torch.strided or plain.is_nested or plain.is_complex() or plain.is_quantized:
                return None
            return plain.cpu()
        if kind_of(type(value)) is Kind.ARRAY:
            if value.dtype.kind not in "biuf":
                return None
            small = value.astype("int64") if value.dtype.kind == "u" and value.dtype.itemsize > 1 else value
            return torch.tensor(small) if small.ndim <= 2 else torch.from_numpy(small.copy())
        numbers = torch.tensor(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None
    return numbers if not numbers.is_complex() else None


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else bytes(value[:TEXT_LENGTH]).decode("utf-8", "replace")
    return text[:TEXT_LENGTH]
