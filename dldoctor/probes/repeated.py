"""The same content under several indices, told by reading items with equal random numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import gcd
from typing import Any, NamedTuple

from dldoctor.evidence.protocol import Contradiction, RepeatedContent
from dldoctor.probes.arrays import unboxed
from dldoctor.probes.digest import digest
from dldoctor.probes.look import as_tensor, look
from dldoctor.probes.reading import SEED, Reader
from dldoctor.roles.flatten import leaves

OTHER_SEED = 307
ELEMENTS = 16
"""A shorter row may come twice by chance."""
VALUES = 8
"""So may one of fewer different values: a mask, a one-hot row, a flag per position."""
MOST = 0.9
"""Share of the elements that is the sample, whatever small fields lie beside it."""
CHARACTERS = 20
"""A shorter text is a name or an answer, which many samples share."""
REREAD = 4
"""Items that are read again, to see whether random numbers change them."""
GROUPS_KEPT = 5
IDS_KEPT = 8


class _Item(NamedTuple):
    """One item that was read."""

    at: int
    """Its index."""
    contents: dict[str, str]
    """Digest of each field that holds so much that two samples do not share it by chance."""
    rest: dict[str, str]
    """Digest of each other array and list."""
    share: float
    """Share of the sample's elements that are in `contents`."""
    marks: dict[str, str]
    """Text of each number and short text: labels, names, ids."""


def repeated_content(reader: Reader, indices: Sequence[int]) -> RepeatedContent | None:
    """Read the indices and tell which hold the same; None where that cannot be told."""
    items = [item for index in dict.fromkeys(indices) if (item := _item(reader, index, SEED)) is not None]
    paths = sorted({path for item in items for path in item.contents})
    # What all samples share (a table, a grid) says nothing, unless there is nothing else.
    varied = [path for path in paths if len({item.contents.get(path) for item in items}) > 1]
    if len(items) < 2 or not paths or (not varied and not _all_one(reader, items)):
        return None
    groups: dict[tuple[str | None, ...], list[_Item]] = defaultdict(list)
    for item in items:
        # Where a field of this one item holds too little to tell, what it holds still differs.
        groups[tuple(item.contents.get(path, item.rest.get(path)) for path in varied or paths)].append(item)
    several = [group for group in groups.values() if len(group) > 1 and any(one.contents for one in group)]
    several.sort(key=len, reverse=True)
    varies = bool(several) and _varies(reader, several)
    return RepeatedContent(
        compared=len(items),
        distinct=len(groups),
        repeated=sum(len(group) for group in several),
        fields=tuple(varied or paths),
        groups=tuple(tuple(one.at for one in group[:IDS_KEPT]) for group in several[:GROUPS_KEPT]),
        contradiction=_contradiction(items, several, varies=varies),
        period=_period(groups),
        varies=varies,
    )


def _item(reader: Reader, index: int, seed: int) -> _Item | None:
    one = reader.fresh(index, seed)
    if one is None:
        return None
    contents: dict[str, str] = {}
    rest: dict[str, str] = {}
    marks: dict[str, str] = {}
    sizes = [0, 0]
    for path, leaf in leaves(one[0]):
        value = digest(leaf)
        if value is None:
            continue
        mark = unboxed(leaf)
        if isinstance(mark, (int, float)) or (isinstance(mark, str) and len(mark) < CHARACTERS):
            marks[path] = str(mark)
            continue
        tells = tells_apart(leaf)
        (contents if tells else rest)[path] = value
        sizes[tells] += _size(leaf)
    return _Item(index, contents, rest, sizes[True] / max(1, sum(sizes)), marks)


def _size(leaf: Any) -> int:
    if isinstance(leaf, (str, bytes)):
        return len(leaf)
    tensor = as_tensor(leaf)
    return 0 if tensor is None else int(tensor.numel())


def tells_apart(leaf: Any) -> bool:
    """Whether two samples do not have the same here by chance."""
    if isinstance(leaf, (str, bytes)):
        return len(leaf) >= CHARACTERS
    seen = look(leaf)
    return (
        seen is not None
        and not seen.constant
        and len(seen.some) >= ELEMENTS
        and len(set(seen.some)) >= VALUES
    )


def _all_one(reader: Reader, items: list[_Item]) -> bool:
    """Whether items whose contents are all alike are one and the same.

    Not where the random numbers made them so, and not where what is alike is a small part of each.
    """
    again = _item(reader, items[0].at, OTHER_SEED)
    by_numbers = again is None or again.contents != items[0].contents
    apart = len({tuple(sorted(item.rest.items())) for item in items}) > 1
    return not by_numbers and not (apart and min(item.share for item in items) < MOST)


def _varies(reader: Reader, several: list[list[_Item]]) -> bool:
    """Whether items that are alike come out otherwise with other random numbers."""
    for group in several[:REREAD]:
        again = _item(reader, group[0].at, OTHER_SEED)
        if again is not None and again.contents != group[0].contents:
            return True
    return False


def _contradiction(items: list[_Item], several: list[list[_Item]], *, varies: bool) -> Contradiction | None:
    """Return the label that differs most often between samples of the same content."""
    found: list[Contradiction] = []
    for path in sorted({path for item in items for path in item.marks}):
        if len({item.marks.get(path) for item in items}) > len(items) / 2:
            continue  # an id, a file name: it should differ
        if varies and all(len({one.marks.get(path) for one in group}) == len(group) for group in several):
            continue  # the number of a crop within its file
        differing = [group for group in several if len({one.marks.get(path) for one in group}) > 1]
        if differing:
            first = differing[0][0]
            other = next(one for one in differing[0] if one.marks.get(path) != first.marks.get(path))
            values = (first.marks.get(path, ""), other.marks.get(path, ""))
            samples = sum(len(group) for group in differing)
            found.append(Contradiction(path, (first.at, other.at), values, samples))
    return max(found, key=lambda one: one.samples, default=None)


def _period(groups: dict[tuple[str | None, ...], list[_Item]]) -> int | None:
    """Return after how many indices items come again, where that explains all that are alike."""
    period, owners = 0, dict[int, int]()
    for group in groups.values():
        for one in group:
            period = gcd(period, one.at - group[0].at)
    if period < 2:
        return None
    for number, group in enumerate(groups.values()):
        for one in group:
            if owners.setdefault(one.at % period, number) != number:
                return None
    return period
