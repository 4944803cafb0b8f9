"""Timers in the user's functions change no result, and know which statement was at work."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dldoctor.probes.profile.install import Instrumented
from dldoctor.probes.profile.tracer import Tracer

SOURCE = '''
import functools
import json
import threading


class Base:
    def size(self):
        return 3


class Reader(Base):
    """Many forms of Python in one place."""

    limit = 4

    def __init__(self):
        self.__hidden = 7
        self.guard = threading.Lock()
        self.left = 3

    def numbers(self, stop):
        """A generator that is sent to."""
        for value in range(stop):
            got = yield value * 2
            if got:
                yield got + 100
        return "end"

    def delegated(self):
        result = yield from self.numbers(2)
        yield result

    def step(self):
        self.left -= 1
        return self.left > 0

    def fails(self):
        raise KeyError(str(self.left))

    def sizes(self):
        return super().size() + self.__hidden

    @functools.lru_cache
    def cached(self, value):
        return value + 1

    def __getitem__(self, index):
        text = json.dumps([index] * 5)
        try:
            self.fails()
        except KeyError as error:
            caught = str(error)
        else:
            caught = None
        finally:
            closing = len(text)
        pairs = [(a, b) for a, b in zip(self.delegated(), range(10))]
        sender = self.numbers(3)
        sent = [next(sender), sender.send(5), next(sender)]
        total = 0
        for value in self.numbers(50):
            if value == 6:
                continue
            if value > 20:
                break
            total += value
        else:
            total = -1
        while self.step():
            total += self.cached(1)

        def inner(extra):
            nonlocal total
            total += extra
            return total

        match len(text):
            case 0:
                kind = "none"
            case _:
                kind = str(inner(2))
        with self.guard, open(__file__) as file:
            first = file.read(1)
        if (found := self.sizes()) > 5:
            return index, text, caught, closing, pairs, sent, total, kind, first, found
        return None


def outside(value):
    return [value] * 2


add = lambda value: outside(value + 1)
pair = (lambda value: outside(value * 3), lambda value: outside(value - 3))
'''


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    """Return a module of the user's, loaded from a file of its own."""
    path = tmp_path / "their_reader.py"
    path.write_text(textwrap.dedent(SOURCE))
    spec = importlib.util.spec_from_file_location("their_reader", path)
    made = importlib.util.module_from_spec(spec)
    sys.modules["their_reader"] = made
    spec.loader.exec_module(made)
    yield made
    sys.modules.pop("their_reader")


def instrumented(module: ModuleType) -> tuple[Tracer, Instrumented]:
    tracer = Tracer()
    return tracer, Instrumented(tracer, (module.__file__,))


def timed(tracer: Tracer, act: Any) -> tuple[Any, list[Any]]:
    tracer.begin()
    result = act()
    return result, tracer.end()[1]


def test_results_are_the_same(module: ModuleType) -> None:
    """Generators that are sent to, `super()`, mangled names, `nonlocal`, `match`, `else` of loops."""
    plain = module.Reader()[4]
    tracer, _ = instrumented(module)
    watched, spent = timed(tracer, lambda: module.Reader()[4])
    assert watched == plain
    assert module.add(3) == [4, 4]
    assert sum(one.calls for one in spent) > 60


def test_exceptions_name_the_same_lines(module: ModuleType) -> None:
    """A traceback through timed code is the user's own."""
    tracer, _ = instrumented(module)
    tracer.begin()
    with pytest.raises(KeyError) as raised:
        module.Reader().fails()
    tracer.end()
    line = SOURCE.splitlines().index("        raise KeyError(str(self.left))") + 1
    assert raised.traceback[-1].lineno + 1 == line


def test_own_times_sum_to_the_whole(module: ModuleType) -> None:
    """What statements spent is what passed, but for the readings themselves."""
    tracer, _ = instrumented(module)
    timed(tracer, lambda: module.Reader()[4])  # what a statement calls is looked up when it first runs
    begin = tracer.begin()
    _ = module.Reader()[4]
    end, spent = tracer.end()
    own = sum(one.own_ns for one in spent)
    assert 0.2 * (end - begin) < own <= end - begin
    assert [one for one in spent if one.cpu_ns + one.runqueue_ns > one.own_ns] == []


def test_each_statement_is_counted_where_it_stands(module: ModuleType) -> None:
    """Counts are exact, the stage is that of what is called."""
    tracer, parts = instrumented(module)
    _, spent = timed(tracer, lambda: module.Reader()[4])
    calls = {parts.statements[one.key][1].text: one.calls for one in spent if one.key in parts.statements}
    assert (calls["text = json.dumps([index] * 5)"], calls["total += value"], calls["self.left -= 1"]) == (
        1,
        10,
        3,
    )
    stages = {parts.statements[key][1].text: stage for key, stage in parts.resolver.stages.items()}
    assert stages["with self.guard"] == "storage read"  # it opens a file as well
    assert (stages["text = json.dumps([index] * 5)"], stages["first = file.read(1)"]) == (
        "decode",
        "storage read",
    )


def test_outside_of_a_sample_nothing_is_counted(module: ModuleType) -> None:
    """Functions that run in the sampler or in another thread cost a look and no more."""
    tracer, _ = instrumented(module)
    assert module.outside(1) == [1, 1]
    assert timed(tracer, lambda: None)[1][0].calls == 1


def test_a_function_that_runs_too_often_is_timed_as_a_whole(module: ModuleType) -> None:
    """First its loops become one statement, then nothing in it has a timer."""
    tracer, parts = instrumented(module)
    _, spent = timed(tracer, lambda: module.Reader().step())
    key = next(
        one.key
        for one in spent
        if one.key in parts.statements and parts.statements[one.key][1].function == "Reader.step"
    )
    assert parts.downgrade(key, 500)
    assert parts.downgrade(key, 500)
    assert [name.split(" ")[0] for name in parts.left_alone] == ["Reader.step"]
    reader = module.Reader()
    assert (reader.step(), reader.left) == (True, 2)
    assert len(timed(tracer, reader.step)[1]) == 1


def test_two_lambdas_of_one_line_are_told_apart(module: ModuleType) -> None:
    """They share name and line, and each keeps its own code."""
    tracer, parts = instrumented(module)
    tripled, spent = timed(tracer, lambda: module.pair[0](2))
    assert (tripled, module.pair[1](2), parts.unseen) == ([6, 6], [-1, -1], {})
    texts = [parts.statements[one.key][1].text for one in spent if one.key in parts.statements]
    assert texts == ["return [value] * 2"]


def test_a_file_that_was_edited_since_is_left_alone(module: ModuleType) -> None:
    """Timers from another source would sit at the wrong lines."""
    Path(module.__file__).write_text(textwrap.dedent(SOURCE).replace("[value] * 2", "[value] * 3"))
    _, parts = instrumented(module)
    assert list(parts.unseen.values()) == ["its source is not what is running"]
    assert module.outside(1) == [1, 1]
