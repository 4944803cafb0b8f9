"""Reads some items and tells at which rates their sounds come, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.sample_rates import Fate, SampleRates
from dldoctor.probes.reading import Reader
from dldoctor.probes.sound.items import Item, lengths_of, read_item
from dldoctor.probes.sound.law import Length, fate_of
from dldoctor.probes.sound.raw import is_part_of
from dldoctor.roles.flatten import leaves

TRIED = 3
"""Items after which it is clear that there is no sound."""
ITEMS = 64
IDS = 5
EACH = 6
"""Items of each rate that are collated one by one, or looked for in their recordings."""
Collate = Callable[[Any], Any]
Axis = tuple[str, int]


def sample_rates(reader: Reader, indices: Sequence[int], collate: Collate | None) -> SampleRates | None:
    """Return the rates of sounds; None where no sound with a rate is read, no rates where there was no time."""
    if reader.out_of_time():
        return SampleRates("", (), "field")
    items: list[Item] = []
    for number, index in enumerate(indices[:ITEMS], start=1):
        one = read_item(reader, index)
        if one is not None:
            items.append(one)
        if number >= TRIED and not any(item.header or item.rates for item in items):
            return None
    items = [item for item in items if item.lengths]
    recorded = [item for item in items if item.header is not None]
    stated = next((path for item in items for path in item.rates), None)
    if len(recorded) >= max(2, len(items) / 2):
        rates = {item.number: float(item.header.rate) for item in recorded if item.header}
        return _told(recorded, rates, "file", stated, collate)
    if stated is not None:
        chosen = [item for item in items if stated in item.rates]
        return _told(chosen, {item.number: item.rates[stated] for item in chosen}, "field", stated, collate)
    return None


def _told(
    items: Sequence[Item],
    rates: Mapping[int, float],
    told_by: Literal["file", "field"],
    stated: str | None,
    collate: Collate | None,
) -> SampleRates:
    axis, in_sample = _in_sample(items, rates, told_by)
    in_batch: Fate = "unknown"
    if len(set(rates.values())) > 1 and in_sample != "resampled" and collate is not None:
        in_batch = _in_batch(_some(items, rates), rates, axis, collate)
    return SampleRates(axis[0], _tallies(rates), told_by, stated, in_sample, in_batch)


def _in_sample(
    items: Sequence[Item], rates: Mapping[int, float], told_by: Literal["file", "field"]
) -> tuple[Axis, Fate]:
    """Return the sound, and what became of it on the way into the sample."""
    shared = set.intersection(*(set(item.lengths) for item in items))
    # The longest is the sound itself, where it is in the sample.
    axes = sorted(shared or set(items[0].lengths), key=lambda axis: -items[0].lengths.get(axis, 0))
    for axis in axes:
        if axis not in shared:
            continue
        lengths = [_length(item, rates[item.number], item.lengths[axis], told_by) for item in items]
        fate = fate_of([one for one in lengths if one is not None])
        if fate != "unknown":
            return axis, fate
    return axes[0], _by_numbers(_some(items, rates), rates, axes[0]) if told_by == "file" else "unknown"


def _length(item: Item, rate: float, length: int, told_by: Literal["file", "field"]) -> Length | None:
    if told_by == "file":
        return Length(rate, item.header.frames, length) if item.header else None
    return Length(rate, rate * item.seconds, length) if item.seconds else None


def _by_numbers(items: Sequence[Item], rates: Mapping[int, float], axis: Axis) -> Fate:
    """Look for sounds in their recordings: what was resampled is not found there."""
    found: dict[float, set[bool]] = {}
    for item in items:
        part = is_part_of(item.held.get(axis[0]), item.file) if item.file else None
        if part is not None:
            found.setdefault(rates[item.number], set()).add(part)
    as_they_are = [rate for rate, parts in found.items() if parts == {True}]
    if len(as_they_are) > 1:
        return "kept"
    return "resampled" if len(as_they_are) == 1 and len(found) > 1 else "unknown"


def _some(items: Sequence[Item], rates: Mapping[int, float]) -> list[Item]:
    """Return a few items of each rate."""
    kept: dict[float, list[Item]] = {}
    for item in items:
        group = kept.setdefault(rates[item.number], [])
        if len(group) < EACH:
            group.append(item)
    return [item for group in kept.values() for item in group]


def _in_batch(items: Sequence[Item], rates: Mapping[int, float], axis: Axis, collate: Collate) -> Fate:
    """Collate items one by one, and see how long they are then."""
    items = [item for item in items if axis in item.lengths]
    made: list[tuple[Item, dict[Axis, int]]] = []
    for item in items:
        try:
            batch = collate([item.sample])
        except Exception:  # noqa: BLE001 - the user's code; dry-run tells of it
            return "unknown"
        made.append((item, lengths_of([(path, _only(leaf)) for path, leaf in leaves(batch)])))
    if not made:
        return "unknown"
    fates = {
        fate_of([Length(rates[item.number], item.lengths[axis], found[place]) for item, found in made])
        for place in set.intersection(*(set(found) for _, found in made))
    }
    return "kept" if "kept" in fates else "resampled" if "resampled" in fates else "unknown"


def _only(leaf: Any) -> Any:
    return leaf[0] if isinstance(leaf, (list, tuple)) and len(leaf) == 1 else leaf


def _tallies(rates: Mapping[int, float]) -> tuple[Tally, ...]:
    found: dict[float, list[int]] = {}
    for index, rate in rates.items():
        found.setdefault(rate, []).append(index)
    ordered = sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
    return tuple(Tally(f"{rate:g}", len(ids), tuple(ids[:IDS])) for rate, ids in ordered)
