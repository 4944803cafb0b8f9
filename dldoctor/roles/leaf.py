"""What is kept of one leaf to judge its role: its form, and a bounded part of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from dldoctor.roles.kinds import Kind, kind_of

if TYPE_CHECKING:
    from torch import Tensor

KEPT = 1 << 15
"""Elements kept of a table of numbers: whole rows, so that fields can be compared."""
KEPT_OF_MEDIA = 4096
"""Elements kept of images, sound and other tensors of three axes or more with real numbers."""
KEPT_TEXTS = 256
TEXT_LENGTH = 200

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
        """Only whole numbers, whatever the dtype."""
        if self.whole:
            return True
        return (
            self.values is not None
            and self.values.numel() > 0
            and bool((self.table == self.table.round()).all())
        )

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
        return leaf_of_items(value)  # type: ignore[arg-type]  # its kind is that of lists and tuples
    return Leaf("object")


def leaf_of_items(items: Sequence[Any]) -> Leaf:
    """Return one leaf for many values of one field: a list in a batch, or one value a sample."""
    kept = [item for item in items if item is not None]
    kinds = {kind_of(type(item)) for item in kept}
    if not kept:
        return Leaf("none", (len(items),))
    if kinds == {Kind.TEXT}:
        texts = tuple(_text(item) for item in kept[:KEPT_TEXTS])
        return Leaf("text", (len(kept),), texts=texts, total=len(kept))
    if kinds == {Kind.NUMBER}:
        return _of_numbers(kept, shape=(len(kept),))
    if kinds == {Kind.IMAGE}:
        return _of_images(kept, shape=(len(kept),))
    if kinds <= {Kind.TENSOR, Kind.ARRAY, Kind.SEQUENCE, Kind.NUMBER}:
        return _of_tensors(kept)
    return Leaf("object", (len(kept),))


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
    return part if row <= 8 * KEPT else part[0].flatten()[:KEPT]


def _of_tensors(items: Sequence[Any]) -> Leaf:
    """Items of one shape are stacked; 1-D items of several lengths, and tables, lie end to end."""
    import torch

    tensors = [tensor for item in items if (tensor := _tensor(item)) is not None]
    if len(tensors) != len(items):
        return Leaf("object", (len(items),))
    shapes = tuple(tuple(tensor.shape) for tensor in tensors)
    first = tensors[0]
    if len({tensor.ndim for tensor in tensors}) > 1:
        return Leaf("object", (len(items),), sizes=shapes)
    like = [tensor for tensor in tensors if tensor.numel()] or [first]
    dtype = like[0].dtype
    if len(set(shapes)) == 1:
        fitting = max(1, 8 * KEPT // max(first.numel(), 1))
        leaf = _of_tensor(torch.stack([tensor.to(dtype) for tensor in tensors[:fitting]]))
        total = first.numel() * len(tensors)
        return Leaf(
            leaf.form, (len(items), *shapes[0]), None, shapes, leaf.values, (), total, leaf.unsigned_bytes
        )
    ends_differ = len({shape[1:] for shape in shapes if 0 not in shape}) <= 1
    if first.ndim <= 2 and ends_differ:
        few = max(1, 8 * KEPT // max([1, *(tensor.numel() for tensor in like)]))
        leaf = _of_tensor(torch.cat([tensor.to(dtype) for tensor in like[:few]]))
    else:
        leaf = _of_tensor(like[0].flatten()[:KEPT_OF_MEDIA])
    axes = tuple(axis[0] if len(set(axis)) == 1 else 0 for axis in zip(*shapes, strict=True))
    lengths = tuple(shape[0] for shape in shapes)
    total = sum(tensor.numel() for tensor in tensors)
    return Leaf(leaf.form, (len(items), *axes), lengths, shapes, leaf.values, (), total, leaf.unsigned_bytes)


def _of_numbers(numbers: Sequence[Any], shape: tuple[int, ...]) -> Leaf:
    tensor = _tensor(list(numbers))
    if tensor is None:
        return Leaf("object", shape)
    leaf = _of_tensor(tensor)
    return Leaf(leaf.form, shape, values=leaf.values, total=leaf.total)


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
