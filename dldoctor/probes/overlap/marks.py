"""What tells one item from another when it is read: its contents, and the files that are opened for it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.alignment.opened import opened_files
from dldoctor.probes.arrays import unboxed
from dldoctor.probes.digest import digest, pin
from dldoctor.probes.look import as_tensor, look
from dldoctor.probes.overlap.telling import tells, text_length
from dldoctor.probes.reading import SEED, Reader
from dldoctor.probes.repeated import CHARACTERS
from dldoctor.roles.flatten import leaves

OTHER_SEED = 211
ROW = 4
"""Numbers with fractions from which on rows of a table are compared."""
WORDS = 60


class Marks(NamedTuple):
    """One item that was read."""

    at: SampleId
    contents: dict[str, str]
    """Digest of each field that holds so much that two items do not share it by chance."""
    forms: dict[str, str]
    """Type and shape of each of these."""
    texts: frozenset[str]
    """Paths of those that are texts, or whole numbers in a row: tokens."""
    brief: bool
    """All that tells it apart is a short text, or a short row of a table."""
    own: dict[str, str]
    """Short texts and whole numbers: names, ids, labels."""
    rest: dict[str, str]
    """Digest of each other array: a few tokens, a mask, a blank picture."""
    files: tuple[str, ...]


def read_items(reader: Reader, indices: Iterable[Any], *, seed: int = SEED) -> Iterator[Marks]:
    """Read items with equal random numbers, until the time of the reader is up."""
    for index in indices:
        with opened_files() as files:
            one = reader.fresh(index, seed)
        if one is not None:
            yield marks_of(index, one[0], tuple(files))
        elif reader.out_of_time():
            return


def read_stream(dataset: Any, reader: Reader, ended: list[bool]) -> Iterator[Marks]:
    """Read a stream from its start, until the time of the reader is up; note in `ended` that it came to its end."""
    pin(SEED)
    source = iter(dataset)
    for ordinal in range(10**9):
        reader.note(ordinal)
        with opened_files() as files:
            try:
                sample = next(source)
            except StopIteration:
                ended.append(True)
                return
            except Exception:  # noqa: BLE001 - the user's code; dry-run tells of that
                return
        yield marks_of(StreamPosition(0, ordinal), sample, tuple(files))
        if reader.out_of_time():
            return


def marks_of(at: SampleId, sample: Any, files: tuple[str, ...] = ()) -> Marks:
    """Return what tells a sample apart."""
    contents: dict[str, str] = {}
    forms: dict[str, str] = {}
    texts: set[str] = set()
    own: dict[str, str] = {}
    rest: dict[str, str] = {}
    short = True
    for path, leaf in leaves(sample):
        plain = unboxed(leaf)
        if isinstance(plain, (bool, float)) or plain is None:
            continue
        if isinstance(plain, int) or (isinstance(plain, str) and len(plain) < CHARACTERS):
            own[path] = str(plain)
            continue
        if isinstance(leaf, str) and " " not in leaf.strip():
            own[path] = leaf  # a path, a name: it may be counted anew in each split
            continue
        value = digest(leaf)
        rich = tells(leaf)
        if value is not None and not rich and not _is_row(leaf):
            rest[path] = value
        elif value is not None:
            contents[path] = value
            forms[path] = _form(leaf)
            length = text_length(leaf)
            if length is not None or _is_tokens(leaf):
                texts.add(path)
                short = short and (length or len(leaf)) < WORDS
            else:
                short = short and not rich
    return Marks(at, contents, forms, frozenset(texts), short, own, rest, files)


def _is_row(leaf: Any) -> bool:
    """Whether a leaf is a row of a table: few numbers, most of them with fractions."""
    seen = look(leaf)
    if seen is None or not len(seen.some) >= ROW or seen.constant:
        return False
    return len({value for value in seen.some if value != int(value)}) >= ROW


def _is_tokens(leaf: Any) -> bool:
    seen = look(leaf)
    tensor = as_tensor(leaf)
    return seen is not None and seen.integral and tensor is not None and tensor.ndim == 1


def _form(leaf: Any) -> str:
    if text_length(leaf) is not None:
        return "text"
    tensor = as_tensor(leaf)
    return type(leaf).__name__ if tensor is None else f"{tensor.dtype} {tuple(tensor.shape)}"


def drawn_anew(reader: Reader, seen: Sequence[Marks]) -> frozenset[str]:
    """Return the fields that other random numbers change."""
    found: set[str] = set()
    for one in seen:
        for again in read_items(reader, [one.at], seed=OTHER_SEED):
            found |= {path for path in one.contents if again.contents.get(path) != one.contents[path]}
            found |= {path for path in one.rest if again.rest.get(path) != one.rest[path]}
    return frozenset(found)


def in_mixed_order(indices: Sequence[Any], first: Sequence[Any] = ()) -> list[Any]:
    """Return indices in an order that does not follow that of the files; some come first."""
    rest = list(indices)
    random.Random(SEED).shuffle(rest)  # noqa: S311 - no secret
    return list(dict.fromkeys((*first, *rest)))
