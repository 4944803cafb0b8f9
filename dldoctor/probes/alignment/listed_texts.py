"""Whether the text of a sample is what a list on disk says of the file that the sample opens."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dldoctor.evidence.file_pairs import ListedTexts, StrayText
from dldoctor.finding import SampleId
from dldoctor.foreign import attribute, has
from dldoctor.probes.alignment.items import Item
from dldoctor.probes.alignment.listings import ENDINGS, lists_beside, records
from dldoctor.probes.digest import digests, pin
from dldoctor.probes.frames import shown_path
from dldoctor.probes.write_guard import no_writing
from dldoctor.roles.flatten import leaves

FEWEST = 4
COVERED = 0.8
"""Share of the files that a list must name."""
COMMON = 0.25
"""A text that so many files have says nothing of one of them."""
SHARED = 0.5
BRIEF = 3
"""Characters below which a text is a code that may stand anywhere."""
SECONDS = 3.0
LISTS = 8
EXAMPLES = 20
PINNED = 41

Texts = dict[str, tuple[str, ...]]
"""Where a text was found (a field of the sample, a column of the dataset) to the texts of a sample."""


class Listed(NamedTuple):
    """One sample: the file of its own and its texts."""

    id: SampleId
    file: str
    texts: Texts


class _List(NamedTuple):
    """What a list says: file to texts and text to files, by their stems."""

    path: str
    owners: dict[str, set[str]]


class TextsOfSamples:
    """Feed it the samples; it keeps their files and texts."""

    def __init__(self, dataset: Any) -> None:
        """Find the columns of texts that the dataset holds."""
        self._dataset = dataset
        self._inner, self._rows = _innermost(dataset)
        self._columns = dict(_columns(self._inner))
        self._seen: list[tuple[SampleId, tuple[str, ...], Texts]] = []

    def add(self, item: Item, held: Mapping[str, Any]) -> None:
        """Note the texts of one sample, of its own or of its place in the dataset."""
        if not item.files:
            return
        texts = _fields(held)
        if isinstance(item.id, int):
            for name, column in self._columns.items():
                texts[f"dataset.{name}"] = tuple(map(_plain, _texts_in(column[self._row(item.id)])))
        self._seen.append((item.id, item.files, texts))

    def result(self) -> ListedTexts | None:
        """Return how the texts stand to a list that names the files; null where no list does."""
        counts = Counter(path for _, files, _ in self._seen for path in set(files))
        most = max(2, SHARED * len(self._seen))
        samples = []
        for sample, files, texts in self._seen:
            own = [path for path in files if counts[path] < most]
            if own and texts:
                samples.append(Listed(sample, own[0], texts))
        if len(samples) < FEWEST:
            return None
        for listing in _lists(samples, self._named()):
            for where in dict.fromkeys(name for one in samples for name in one.texts):
                found = _judged(samples, listing, where)
                if found is not None and (not where.startswith("dataset.") or self._is_used(where, found)):
                    return found
        return None

    def differ(self, again: Iterable[Item], where: str) -> bool:
        """Whether the texts of a place are others when the same samples are read again."""
        known = {sample: texts.get(where) for sample, _, texts in self._seen}
        return not where.startswith("dataset.") and any(
            one.id in known and known[one.id] != _fields(dict(leaves(one.sample))).get(where) for one in again
        )

    def _named(self) -> Iterator[str]:
        """Yield paths of lists that the dataset remembers."""
        for value in list(attribute(self._inner, "__dict__", {}).values()):
            if isinstance(value, (str, os.PathLike)) and str(value).lower().endswith(ENDINGS):
                yield os.path.abspath(value)

    def _is_used(self, where: str, found: ListedTexts) -> bool:
        """Whether an item changes with the text of its place: read twice as it is, and once with another text."""
        column = self._columns[where.removeprefix("dataset.")]
        place = next((one.sample for one in found.examples if isinstance(one.sample, int)), 0)
        row = self._row(place)
        kept = column[row]
        other = next((one for one in column if one != kept), None)
        if other is None:
            return False
        before, again = self._read(place), self._read(place)
        column[row] = other
        try:
            changed = self._read(place)
        finally:
            column[row] = kept
        return any(again.get(path) == one != changed.get(path) for path, one in before.items())

    def _row(self, place: int) -> int:
        return place if self._rows is None else self._rows[place]

    def _read(self, place: int) -> dict[str, str]:
        pin(PINNED)
        try:
            with no_writing():
                return digests(self._dataset[place])
        except Exception:  # noqa: BLE001 - the user's code
            return {}


def _innermost(dataset: Any) -> tuple[Any, Sequence[int] | None]:
    """Return the dataset below the subsets, and the row of each item in it; null where that is its index."""
    rows: Sequence[int] | None = None
    while type(dataset).__name__ == "Subset" and has(dataset, "indices"):
        rows = dataset.indices if rows is None else [dataset.indices[row] for row in rows]
        dataset = attribute(dataset, "dataset")
    return dataset, rows


def _fields(held: Mapping[str, Any]) -> Texts:
    """Return the texts of a sample by its fields."""
    texts: Texts = {}
    for path, leaf in held.items():
        if isinstance(leaf, str) and len(leaf) >= BRIEF:
            field = path.partition("[")[0] or "the sample"
            texts[field] = (*texts.get(field, ()), _plain(leaf))
    return texts


def _columns(dataset: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of texts with a row for each item."""
    try:
        count = len(dataset)
    except Exception:  # noqa: BLE001 - the user's code
        return
    for name, value in list(attribute(dataset, "__dict__", {}).items()):
        if type(value) is list and len(value) == count >= FEWEST and _texts_in(value[0]):
            yield name, value


def _texts_in(row: Any) -> list[str]:
    """Return the texts of a row: itself, or what it holds."""
    if isinstance(row, str):
        return [row] if len(row) >= BRIEF else []
    parts = row.values() if isinstance(row, Mapping) else row if isinstance(row, (list, tuple)) else ()
    return [one for one in list(parts)[:16] if isinstance(one, str) and len(one) >= BRIEF]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _stem(name: str) -> str:
    """Return the name of a file without folder and ending; lists of captions number those of a file by ``#``."""
    return os.path.splitext(os.path.basename(name.split("#", 1)[0].strip()))[0].casefold()


def _lists(samples: Sequence[Listed], named: Iterable[str]) -> Iterator[_List]:
    """Yield the lists of which a column names the files of the samples."""
    stems = Counter(_stem(path) for path in {one.file for one in samples})
    own = {stem for stem, count in stems.items() if count == 1 and stem}
    until = time.monotonic() + SECONDS
    opened = {one.file for one in samples}
    candidates = [path for path in lists_beside(opened, named) if path not in opened]
    for path in candidates[:LISTS]:
        if time.monotonic() > until:
            return
        rows = records(path)
        names: Counter[str] = Counter()
        for column in dict.fromkeys(name for row in rows[:100] for name in row):
            names[column] = len(own & {_stem(row[column]) for row in rows if column in row})
        if not names:
            continue
        column, covered = names.most_common(1)[0]
        if covered < max(FEWEST, COVERED * len(samples)):
            continue
        owners: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            for name, text in row.items():
                if column in row and name != column and len(text) >= BRIEF:
                    owners[_plain(text)].add(_stem(row[column]))
        yield _List(path, owners)


def _judged(samples: Sequence[Listed], listing: _List, where: str) -> ListedTexts | None:
    """Hold the texts of one place against a list; None where the list does not have them."""
    known = set().union(*listing.owners.values()) if listing.owners else set()
    right, stray = 0, []
    for one in samples:
        stem = _stem(one.file)
        told = [
            (text, owners)
            for text in one.texts.get(where, ())
            if (owners := listing.owners.get(text)) and len(owners) <= max(1, COMMON * len(known))
        ]
        if stem not in known or not told:
            continue
        if any(stem in owners for _, owners in told):
            right += 1
        else:
            text, owners = told[0]
            stray.append(StrayText(one.id, shown_path(one.file), text[:80], min(owners)))
    if right + len(stray) < FEWEST:
        return None
    return ListedTexts(
        shown_path(listing.path), where, right + len(stray), len(stray), tuple(stray[:EXAMPLES])
    )
