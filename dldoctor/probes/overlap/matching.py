"""Which of the items that were read stand on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from dldoctor.evidence.overlap import How, SharedItems
from dldoctor.finding import SampleId
from dldoctor.probes.overlap.grouping import (
    COMMON_SHARE,
    by_file,
    by_own_file,
    forms_of,
    is_common,
    keyed,
    own_files,
    rest_paths,
    word_paths,
)
from dldoctor.probes.overlap.marks import Marks
from dldoctor.probes.overlap.numbered import Numbered, agree
from dldoctor.probes.overlap.own_ids import own_id_of

MOST = 0.9
MANY = 10
"""A picture may have so many questions or captions on one side."""
PAIRS = 10
FEWEST_PARTS = 3
NAMED = 0.98
"""Share of different words from which on they are names."""
Pair = tuple[Marks, Marks]


class Matching:
    """Holds the items of two sides against each other."""

    def __init__(self, first: Sequence[Marks], second: Sequence[Marks], drawn: frozenset[str]) -> None:
        """Take what was read, and the fields that each read draws anew."""
        self.first, self.second, self.drawn = first, second, drawn
        forms = [forms_of(side) for side in (first, second)]
        both = [path for path in forms[0] if path in forms[1]]
        self.compared = tuple(
            path
            for path in both
            if path not in drawn and forms[0][path] & forms[1][path] and self._varies(path)
        )
        self.texts = frozenset(path for one in (*first, *second) for path in one.texts)
        self.unlike = [path for path in both if path not in self.compared]
        self._words = [path for path in word_paths(second) if self._tells(path)]
        self._rest = [path for path in rest_paths(first) if path in rest_paths(second) and path not in drawn]
        self._found: dict[SampleId, How] = {}

    @property
    def files(self) -> bool:
        """Whether most items of both sides are read from files of their own."""
        return all(len(own_files(side)) >= MOST * len(side) > 0 for side in (self.first, self.second))

    def numbered(self, found: Numbered) -> SharedItems | None:
        """Return items of one number, if those that were read agree in all else."""
        mine, theirs = ({one.at: one for one in side} for side in (self.first, self.second))
        pairs = [(mine[one], theirs[other]) for one, other in found.pairs if one in mine and other in theirs]
        if not all(self._nothing_differs(pair) for pair in pairs) or not agree(pairs):
            return None
        return SharedItems(
            "number" if found.name else "twin",
            count=len(found.pairs),
            looked=(0, 0),
            pairs=tuple(found.pairs[:PAIRS]),
            fields=(found.name,) if found.name else (),
        )

    def shared(self, whole: tuple[float, float]) -> Iterator[SharedItems]:
        """Yield what both sides have, the surest first; `whole` is the share of each side that was read."""
        only_text = bool(self.unlike) and all(path in self.texts for path in self.compared)
        read_for_both = [pair for pair in by_own_file(self.first, self.second) if self._no_other_text(pair)]
        if not only_text:
            yield from self._told("content", self._equal(), self.compared)
        yield from self._told("file", read_for_both if self.files else (), ())
        if only_text:
            yield from self._told("text", self._equal(), self.compared)
        path = own_id_of(self.first, self.second, whole)
        if path is not None:
            ids = [keyed(side, lambda one: one.own.get(path)) for side in (self.first, self.second)]
            yield from self._told("id", self._pairs(ids[0], ids[1], self._nothing_differs), (path,))
        yield from self._parts()

    def _varies(self, path: str) -> bool:
        return len({one.contents.get(path) for one in (*self.first, *self.second)}) > 1

    def _tells(self, path: str) -> bool:
        """Whether short texts of a field differ within a side, and are no names of items."""
        for side in (self.first, self.second):
            values = {one.own[path] for one in side if path in one.own}
            names = len(values) >= NAMED * len(side) and not any(" " in one for one in values)
            if len(values) < 2 or names:
                return False
        return True

    def _equal(self) -> Iterator[Pair]:
        keys = [keyed(side, self._key) for side in (self.first, self.second)]
        return self._pairs(keys[0], keys[1], self._same_words)

    def _key(self, one: Marks) -> Any:
        key = tuple(one.contents.get(path) for path in self.compared)
        return key if any(key) else None

    def _pairs(
        self, first: dict[Any, list[Marks]], second: dict[Any, list[Marks]], fits: Callable[[Pair], bool]
    ) -> Iterator[Pair]:
        for key, mine in second.items():
            theirs = first.get(key, [])
            if not theirs or is_common(theirs, self.first) or is_common(mine, self.second):
                continue
            for one in mine:
                pair = next(((other, one) for other in theirs if fits((other, one))), None)
                if pair is not None:
                    yield pair

    def _told(self, how: How, pairs: Iterable[Pair], fields: tuple[str, ...]) -> Iterator[SharedItems]:
        new = [pair for pair in pairs if pair[1].at not in self._found]
        self._found.update({one.at: how for _, one in new})
        if not new:
            return
        first, second = new[0]
        example = ""
        if how == "file":
            example = next((file for file in second.files if file in first.files), "")
        elif how == "id":
            example = second.own[fields[0]]
        yield SharedItems(
            how,
            count=len(new),
            looked=(len(self.first), len(self.second)),
            pairs=tuple((one.at, other.at) for one, other in new[:PAIRS]),
            fields=fields,
            example=example,
            brief=example.isdigit()
            if how == "id"
            else how == "content" and all(pair[1].brief for pair in new),
        )

    def _same_words(self, pair: Pair) -> bool:
        """Whether short texts and small arrays agree: a question of a few tokens makes another item."""
        first, second = pair
        return all(first.own.get(path) == second.own.get(path) for path in self._words) and all(
            first.rest.get(path) == second.rest.get(path) for path in self._rest
        )

    def _no_other_text(self, pair: Pair) -> bool:
        first, second = pair
        texts = [path for path in self.compared if path in self.texts]
        return self._same_words(pair) and all(
            first.contents.get(path) == second.contents.get(path) for path in texts
        )

    def _nothing_differs(self, pair: Pair) -> bool:
        first, second = pair
        files = set(first.files) & set(second.files) or not (first.files and second.files)
        return bool(files) and all(
            first.contents.get(path) == second.contents.get(path) for path in self.compared
        )

    def _parts(self) -> Iterator[SharedItems]:
        found = []
        for path in sorted(self.compared, key=lambda path: path in self.texts):
            contents = _content(path)
            pairs = self._part(keyed(self.first, contents), keyed(self.second, contents))
            found.append((path, [pair for pair in pairs if self._apart(*pair)]))
        found.append(("", list(self._part(by_file(self.first), by_file(self.second)))))
        path, most = max(found, key=lambda one: len(one[1]))
        if len(most) < max(FEWEST_PARTS, 0.01 * len(self.second)):
            return
        first, second = most[0]
        yield SharedItems(
            "part",
            count=len(most),
            looked=(len(self.first), len(self.second)),
            pairs=tuple((one.at, other.at) for one, other in most[:PAIRS]),
            fields=(path,) if path else (),
            example="" if path else next((file for file in second.files if file in first.files), ""),
            apart=self._apart(first, second),
        )

    def _part(self, first: dict[Any, list[Marks]], second: dict[Any, list[Marks]]) -> Iterator[Pair]:
        seen: set[SampleId] = set()
        for key, mine in second.items():
            theirs = first.get(key, [])
            if theirs and max(len(theirs), len(mine)) <= max(MANY, COMMON_SHARE * len(self.first)):
                for one in mine:
                    if one.at not in self._found and one.at not in seen:
                        seen.add(one.at)
                        yield theirs[0], one

    def _apart(self, first: Marks, second: Marks) -> tuple[str, ...]:
        """Return the fields in which two items differ."""
        return (
            *(path for path in self.compared if first.contents.get(path) != second.contents.get(path)),
            *(path for path in self._words if first.own.get(path) != second.own.get(path)),
            *(path for path in self._rest if first.rest.get(path) != second.rest.get(path)),
        )


def _content(path: str) -> Callable[[Marks], str | None]:
    return lambda one: one.contents.get(path)
