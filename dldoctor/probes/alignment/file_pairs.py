"""Whether the two files that a sample opens (image and mask, caption, annotation) are partners by name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dldoctor.evidence.file_pairs import FilePairs, WrongPair
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.file_names import KEYS, Key, stripped, template
from dldoctor.probes.frames import shown_path

FEWEST = 4
"""Samples below which names prove nothing."""
SHARED = 0.5
"""A file that so many samples open belongs to none of them."""
KNOWN = 0.8
"""Share of the samples whose own partner must exist for names to be partners at all."""
LISTED = 200_000
EXAMPLES = 20

Opened = Sequence[tuple[SampleId, Sequence[str]]]


class _Kinds(NamedTuple):
    """Two kinds of files: one of each a sample."""

    first: dict[SampleId, str]
    second: dict[SampleId, str]


def file_pairs(opened: Opened, again: Mapping[SampleId, Sequence[str]]) -> FilePairs:
    """Compare the names; `again` has the files that the same samples opened under another seed."""
    own = _own_files(opened)
    kinds = _kinds(own)
    if kinds is None or len(kinds.first) < FEWEST:
        return FilePairs(len(opened), 0)
    drawn = sum(
        bool(files) and sample in kinds.second and kinds.second[sample] not in files
        for sample, files in again.items()
    )
    best: FilePairs | None = None
    for name, key in KEYS:
        found = _judged(kinds, name, key, len(opened), drawn)
        if found is not None and (best is None or found.wrong < best.wrong):
            best = found
    return best or FilePairs(len(opened), len(kinds.first))


def _own_files(opened: Opened) -> list[tuple[SampleId, list[str]]]:
    counts = Counter(path for _, files in opened for path in set(files))
    most = max(2, SHARED * len(opened))
    return [(sample, [path for path in files if counts[path] < most]) for sample, files in opened]


def _kinds(own: Sequence[tuple[SampleId, list[str]]]) -> _Kinds | None:
    """Return the first two kinds of which nearly every sample opens just one file."""
    grouped: dict[str, dict[SampleId, list[str]]] = {}
    for sample, files in own:
        for path in files:
            kind = template(os.path.dirname(path)) + os.path.splitext(path)[1].lower()
            grouped.setdefault(kind, {}).setdefault(sample, []).append(path)
    single = [
        {sample: files[0] for sample, files in found.items()}
        for found in grouped.values()
        if len(found) >= 0.9 * len(own) and all(len(files) == 1 for files in found.values())
    ]
    if len(single) < 2:
        single = _by_place(own)
    if len(single) < 2:
        return None
    both = single[0].keys() & single[1].keys()
    return _Kinds({one: single[0][one] for one in both}, {one: single[1][one] for one in both})


def _by_place(own: Sequence[tuple[SampleId, list[str]]]) -> list[dict[SampleId, str]]:
    """Return kinds by the order in which a sample opens its files, where their names differ in more than numbers."""
    two = [(sample, files) for sample, files in own if len(files) == 2]
    if len(two) < 0.9 * len(own):
        return []
    kinds = [{sample: files[place] for sample, files in two} for place in (0, 1)]
    forms = [{template(path) for path in kind.values()} for kind in kinds]
    return kinds if not forms[0] & forms[1] and max(map(len, forms)) <= 2 else []


def _judged(kinds: _Kinds, name: str, key: object, opened: int, drawn: int) -> FilePairs | None:
    """Return the pairs under one reading of names; None where the names have nothing in common."""
    assert callable(key)
    firsts, seconds = stripped(list(kinds.first.values())), stripped(list(kinds.second.values()))
    mine: dict[SampleId, Key] = {one: key(firsts[path]) for one, path in kinds.first.items()}
    theirs: dict[SampleId, Key] = {one: key(seconds[path]) for one, path in kinds.second.items()}
    if None in mine.values() or None in theirs.values():
        return None
    if len(set(mine.values())) < len(firsts) or len(set(theirs.values())) < len(seconds):
        return None  # the reading does not tell the files apart
    partners = _partners(seconds, theirs, kinds, key)
    known = [one for one in mine if mine[one] in partners]
    if len(known) < KNOWN * len(mine):
        return None
    wrong = [one for one in known if mine[one] != theirs[one]]
    examples = [
        WrongPair(one, *map(shown_path, (kinds.first[one], kinds.second[one], partners[mine[one]])))
        for one in wrong[:EXAMPLES]
    ]
    return FilePairs(
        samples=opened,
        pairs=len(mine),
        by=name,
        wrong=len(wrong),
        examples=tuple(examples),
        partners=len(known),
        offset=_offset(mine, theirs),
        drawn=drawn > 0,
        sorted_both=_is_sorted(kinds.first) and _is_sorted(kinds.second),
    )


def _is_sorted(files: Mapping[SampleId, str]) -> bool:
    numbered = {one: path for one, path in files.items() if isinstance(one, int)}
    paths = [numbered[one] for one in sorted(numbered)]
    return len(numbered) == len(files) and paths == sorted(paths)


def _partners(
    seconds: Mapping[str, str], theirs: Mapping[SampleId, Key], kinds: _Kinds, key: object
) -> dict[Key, str]:
    """Return key to file of the second kind: those that samples opened, and what lies beside them."""
    assert callable(key)
    found = {theirs[one]: path for one, path in kinds.second.items()}
    folders = {os.path.dirname(path) for path in seconds}
    if len(folders) > 4:
        return found
    start, end = _affixes(seconds)
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for number, entry in enumerate(entries):
                    if number >= LISTED:
                        break
                    name = os.path.splitext(entry.path)[0]
                    if name.startswith(start) and name.endswith(end) and len(name) >= len(start) + len(end):
                        found.setdefault(key(name[len(start) : len(name) - len(end)]), entry.path)
        except OSError:
            continue
    return found


def _affixes(seconds: Mapping[str, str]) -> tuple[str, str]:
    path, kept = next(iter(seconds.items()))
    name = os.path.splitext(path)[0]
    at = name.rfind(kept) if kept else len(name)
    return name[:at], name[at + len(kept) :]


def _offset(mine: Mapping[SampleId, Key], theirs: Mapping[SampleId, Key]) -> int | None:
    """Return the number by which every name of the second kind is ahead; null where that is not one number."""
    ahead = set()
    for one, key in mine.items():
        other = theirs[one]
        if key is None or other is None or len(key) != 1 or len(other) != 1:
            return None
        if not (key[0].isdigit() and other[0].isdigit()):
            return None
        ahead.add(int(other[0]) - int(key[0]))
    return ahead.pop() if len(ahead) == 1 else None
