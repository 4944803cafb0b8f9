"""Whether the text of a sample is what a list on disk says of the file that the sample opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dldoctor.evidence.file_pairs import ListedTexts, StrayText
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.items import Item
from dldoctor.probes.alignment.listings import lists_beside, plain
from dldoctor.probes.alignment.text_columns import BRIEF, FEWEST, TextColumns
from dldoctor.probes.alignment.text_owners import TextOwners, owners_of, stem_of
from dldoctor.probes.alignment.unnamed_lists import places_of_lines, sorted_as_text, two_orders
from dldoctor.probes.frames import shown_path
from dldoctor.roles.flatten import leaves

COVERED = 0.8
"""Share of the samples of which a list must name a file."""
MOST = 0.5
"""Share of the samples' texts that a list must have."""
SHARED = 0.5
LISTS = 8
EXAMPLES = 20
COLUMN = "dataset."
"""Begin of the name of a place that is a column of the dataset."""

Texts = dict[str, tuple[str, ...]]
"""Where a text was found (a field of the sample, a column of the dataset) to the texts of a sample."""


class Listed(NamedTuple):
    """One sample: the files of its own and its texts."""

    id: SampleId
    files: tuple[str, ...]
    texts: Texts


class TextsOfSamples:
    """Feed it the samples; it keeps their files and texts."""

    def __init__(self, dataset: Any) -> None:
        """Find the columns of texts that the dataset holds."""
        self._columns = TextColumns(dataset)
        self._seen: list[Listed] = []

    def add(self, item: Item, held: Mapping[str, Any]) -> None:
        """Note the texts of one sample, of its own or of its place in the dataset."""
        if not item.files:
            return
        texts = _fields(held)
        if isinstance(item.id, int):
            for name, found in self._columns.texts(item.id).items():
                texts[f"{COLUMN}{name}"] = tuple(map(plain, found))
        self._seen.append(Listed(item.id, item.files, texts))

    def result(self) -> ListedTexts | None:
        """Return how the texts stand to a list that names the files; null where no list does."""
        counts = Counter(path for one in self._seen for path in set(one.files))
        most = max(2, SHARED * len(self._seen))
        samples = []
        for one in self._seen:
            own = tuple(path for path in one.files if counts[path] < most)
            if own and one.texts:
                samples.append(one._replace(files=own))
        if len(samples) < FEWEST:
            return None
        opened = {path for one in samples for path in one.files}
        beside = lists_beside(opened, self._columns.named_files())
        paths = [path for path in beside if path not in opened][:LISTS]
        lists = self._lists(samples, paths)
        for where in _places(samples):
            judged = [found for each in lists if (found := _judged(samples, each, where)) is not None]
            # Of an old list and its correction, the one that fits is the one in use.
            best = min(judged, key=lambda found: found.wrong / found.samples, default=None)
            if best is not None and self._is_used(where, best):
                return best
        return self._by_order(samples, paths)

    def _lists(self, samples: Sequence[Listed], paths: Sequence[str]) -> list[TextOwners]:
        stems = Counter(stem for one in samples for stem in set(map(stem_of, one.files)))
        texts = {text for one in samples for found in one.texts.values() for text in found}
        files = {stem for stem, count in stems.items() if stem and count == 1}
        return list(owners_of(paths, files, texts, COVERED * len(samples)))

    def _by_order(self, samples: Sequence[Listed], paths: Sequence[str]) -> ListedTexts | None:
        """Return how the texts stand to a list without names; null where it does not tell."""
        orders = two_orders(one.files[0] for one in samples)
        if orders is None:
            return None
        named = dict(zip(orders.counted.values(), orders.counted, strict=True))
        for path in paths:
            lines = places_of_lines(path, len(orders.counted))
            for where in _places(samples) if lines else ():
                pairs = [(one.files[0], one.texts.get(where, ())) for one in samples]
                stray = [
                    StrayText(
                        one.id,
                        shown_path(one.files[0]),
                        next(iter(one.texts[where]))[:80],
                        stem_of(named[at]),
                    )
                    for one, at in zip(samples, sorted_as_text(pairs, orders, lines), strict=False)
                    if at is not None
                ]
                found = ListedTexts(
                    shown_path(path), where, len(pairs), len(stray), tuple(stray[:EXAMPLES]), by="order"
                )
                if len(stray) >= FEWEST and self._is_used(where, found):
                    return found
        return None

    def _is_used(self, where: str, found: ListedTexts) -> bool:
        if not where.startswith(COLUMN):
            return True
        places = [one.sample for one in found.examples] or [one.id for one in self._seen]
        place = next((one for one in places if isinstance(one, int)), 0)
        return self._columns.makes(where.removeprefix(COLUMN), place)

    def differ(self, again: Iterable[Item], where: str) -> bool:
        """Whether the texts of a place are others when the same samples are read again."""
        known = {one.id: one.texts.get(where) for one in self._seen}
        return not where.startswith(COLUMN) and any(
            one.id in known and known[one.id] != _fields(dict(leaves(one.sample))).get(where) for one in again
        )


def _places(samples: Sequence[Listed]) -> list[str]:
    """Return where texts were found, the longest texts first: a caption says more than a name."""
    longest: Counter[str] = Counter()
    for one in samples:
        for where, texts in one.texts.items():
            longest[where] = max(longest[where], *map(len, texts), 0)
    return [where for where, _ in longest.most_common()]


def _fields(held: Mapping[str, Any]) -> Texts:
    """Return the texts of a sample by its fields."""
    texts: Texts = {}
    for path, leaf in held.items():
        if isinstance(leaf, str) and len(leaf) >= BRIEF:
            field = path.partition("[")[0] or "the sample"
            texts[field] = (*texts.get(field, ()), plain(leaf))
    return texts


def _judged(samples: Sequence[Listed], listing: TextOwners, where: str) -> ListedTexts | None:
    """Hold the texts of one place against a list; null where the list has too few of them."""
    right, stray, having = 0, [], 0
    for one in samples:
        having += bool(one.texts.get(where))
        stems = set(map(stem_of, one.files)) & listing.named
        told = [(text, listing.owners[text]) for text in one.texts.get(where, ()) if text in listing.owners]
        if not stems or not told:
            continue
        if any(stems & owners for _, owners in told):
            right += 1
        else:
            text, owners = max(told, key=lambda each: len(each[0]))
            file = next(path for path in one.files if stem_of(path) in stems)
            stray.append(StrayText(one.id, shown_path(file), text[:80], min(owners)))
    judged = right + len(stray)
    # The list of another part of the data may have a few of the texts too.
    if judged < max(FEWEST, MOST * having):
        return None
    return ListedTexts(shown_path(listing.path), where, judged, len(stray), tuple(stray[:EXAMPLES]))
