"""Whether the shapes of the first batch agree with one another and with their samples, in words."""

from __future__ import annotations

from dldoctor.probes.glance import Glance
from dldoctor.probes.preview import shape_text

_SHOWN = 6


def agreement(batch: Glance, samples: list[Glance], rows: int) -> tuple[str, ...]:
    """Return a few sentences; the first is about the rows, the rest about single fields."""
    sentences = [_rows_sentence(batch, len(samples), rows)]
    by_path = _sample_shapes(samples)
    for position, (path, container, _, _) in enumerate(batch.layout):
        extent, own = batch.shapes[position], by_path.get(path)
        if extent is None or not own or container in ("str", "list", "tuple") or len(samples) < 1:
            continue
        sentence = _field_sentence(path, extent, own, len(samples))
        if sentence:
            sentences.append(sentence)
    return tuple(sentences[: 1 + _SHOWN])


def _sample_shapes(samples: list[Glance]) -> dict[str, list[tuple[int, ...]]]:
    found: dict[str, list[tuple[int, ...]]] = {}
    for one in samples:
        for (path, _, _, _), shape in zip(one.layout, one.shapes, strict=True):
            if shape is not None:
                found.setdefault(path, []).append(shape)
    return found


def _rows_sentence(batch: Glance, samples: int, rows: int) -> str:
    agree, differ = list[tuple[str, int]](), list[tuple[str, int]]()
    for (path, _, _, _), extent in zip(batch.layout, batch.shapes, strict=True):
        if extent:
            (agree if extent[0] == rows else differ).append((path, extent[0]))
    went_in = f"; {_counted(samples, 'sample')} went in" if samples else ""
    where = f" in {_listed([path for path, _ in agree])}" if agree else ""
    text = f"{_counted(rows, 'row')}{where}{went_in}"
    if differ:
        others = ", ".join(f"`{path}` has {count}" for path, count in differ[:_SHOWN])
        return f"{text}, but {others} along the first axis"
    return text


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _listed(paths: list[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:_SHOWN])
    return shown + (f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else "")


def _field_sentence(
    path: str, extent: tuple[int, ...], own: list[tuple[int, ...]], samples: int
) -> str | None:
    distinct = sorted(set(own))
    shape = shape_text(extent)
    if len(distinct) == 1:
        if extent == (samples, *distinct[0]):
            return None  # stacked as it is: nothing to say
        return f"`{path}` is {shape}: samples are {shape_text(distinct[0]) or 'scalars'}"
    low, high = distinct[0], distinct[-1]
    if all(len(one) == 1 for one in distinct) and len(extent) == 2:
        how = "padded to the longest" if extent[1] == high[0] else f"made {extent[1]} wide"
        return f"`{path}` is {shape}: samples have {low[0]} to {high[0]}, {how}"
    return (
        f"`{path}` is {shape}: samples have {len(distinct)} shapes, {shape_text(low)} to {shape_text(high)}"
    )
