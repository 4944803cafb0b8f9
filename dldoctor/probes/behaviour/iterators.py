"""Looks into an iterator that is under way: the names that its suspended functions know.

A stream often makes its generator of random numbers in ``__iter__``; no attribute leads to it then.
"""

from __future__ import annotations

import gc
import itertools
import types
from collections.abc import Iterator
from typing import Any

from dldoctor.foreign import has
from dldoctor.probes.behaviour.graph import Found, walk
from dldoctor.probes.frames import is_first_party

_OF_C = (map, filter, zip, enumerate, reversed, itertools.chain, itertools.islice)
"""Iterators that keep what they iterate over where no attribute leads to it."""
NESTED = 32
"""Iterators inside of one another that are looked into."""


def names_in(iterator: Any) -> Iterator[Found]:
    """Yield path and value of what the functions behind an iterator have at hand."""
    waiting: list[Any] = [iterator]
    known: list[Any] = []
    while waiting and len(known) < NESTED:
        one = waiting.pop(0)
        if any(one is other for other in known):
            continue
        known.append(one)
        found = _of(one)
        yield from found
        waiting += [value for _, value in found if _iterates(value)]


def _of(iterator: Any) -> list[Found]:
    if isinstance(iterator, types.GeneratorType):
        frame, name = iterator.gi_frame, iterator.gi_code.co_qualname.replace(".<locals>", "")
        inner = [] if iterator.gi_yieldfrom is None else [(f"{name}.<yield from>", iterator.gi_yieldfrom)]
        if frame is None:
            return inner
        # What a library's functions hold in turn is reached too: they have the user's iterators.
        own = is_first_party(iterator.gi_code.co_filename)
        known = frame.f_locals.items()
        return inner + [(f"{name}.<{key}>", one) for key, one in known if own or _worth(one)]
    if isinstance(iterator, _OF_C):
        held = gc.get_referents(iterator)
        held += [inner for one in held if isinstance(one, tuple) for inner in one]
        return [(type(iterator).__name__, one) for one in held]
    return list(walk([("iterator", iterator)]))[:NESTED]


def _iterates(value: Any) -> bool:
    return isinstance(value, (types.GeneratorType, *_OF_C)) or (
        has(type(value), "__next__") and has(value, "__dict__")
    )


def _worth(value: Any) -> bool:
    return not isinstance(value, (str, bytes, int, float, list, tuple, dict))
