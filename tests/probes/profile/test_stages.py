"""What a statement calls says which stage it belongs to."""

from __future__ import annotations

import ast
import multiprocessing
import queue
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dldoctor.probes.profile.resolve import Resolver
from dldoctor.probes.profile.rewrite import Names, Rewriter, Statement


def stage(source: str, **variables: Any) -> str:
    """Return the stage of the only statement of a function, which sees these variables."""
    found: list[Statement] = []
    body = ast.parse(f"def read(self):\n    {source}\n")
    Rewriter(Names(lambda one: found.append(one) or len(found) - 1, lambda *_: 0), "statements").module(body)
    resolver = Resolver({0: ("file", found[0])})

    def look() -> None:
        resolver.resolve(0, sys._getframe())

    look.__globals__.update(variables)
    look()
    for name in variables:
        look.__globals__.pop(name)
    return resolver.stages[0]


class Holder:
    """Holds things as a dataset does."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


@pytest.mark.parametrize(
    "lock", [threading.Lock(), threading.RLock(), multiprocessing.Lock(), multiprocessing.RLock()]
)
def test_a_lock_is_known_by_its_type(lock: Any) -> None:
    """Entered by `with`, or acquired."""
    holder = Holder(guard=lock)
    assert stage("with self_.guard: pass", self_=holder) == "lock"
    assert stage("self_.guard.acquire()", self_=holder) == "lock"


def test_threads_of_the_users_own_are_known_by_what_is_asked() -> None:
    """A pool that maps, a queue that a thread fills."""
    with ThreadPoolExecutor(1) as pool:
        assert stage("parts = list(self_.pool.map(ask, keys))", self_=Holder(pool=pool)) == "own threads"
    assert stage("item = waiting.get()", waiting=queue.Queue()) == "own threads"


def test_taking_a_row_of_an_array_names_no_stage() -> None:
    """A loop over as many rounds as an array says is no transform; what is done with the row is."""
    numpy = pytest.importorskip("numpy")
    sizes = numpy.arange(4)
    assert stage("for k in range(sizes[0] // 4): pass", sizes=sizes) == "other"
    assert stage("x = numpy.flip(sizes[1:])", sizes=sizes, numpy=numpy) == "transform"


def test_a_compiled_function_is_known_by_the_module_that_it_was_taken_from() -> None:
    """Those of OpenCV do not know their own."""
    cv2 = pytest.importorskip("cv2")
    assert stage("image = cv2.imread('a.jpg')", cv2=cv2) == "decode"
    assert stage("image = cv2.resize(image, (4, 4))", cv2=cv2) == "transform"
