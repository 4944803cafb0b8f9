"""Arguments by ``-k``, and what is said when they do not fit."""

from __future__ import annotations

import functools

import pytest

from dldoctor.errors import TargetError
from dldoctor.intent import TargetOptions
from dldoctor.targets import from_object
from dldoctor.targets.arguments import call_target, parse_kwargs


def error_of(call) -> str:
    with pytest.raises(TargetError) as caught:
        call()
    return str(caught.value)


def make(split, size=2, *, shuffle=False):
    return split, size, shuffle


def test_values_are_literals_or_bare_words() -> None:
    """A Python literal is read as one, anything else is a string."""
    texts = ("a=3", "b=train", "c=[1, 'x']", "d=None", "e=data/raw x", "f=", "g='3'", "h=a=b", "i=true")
    assert parse_kwargs(texts) == {
        "a": 3, "b": "train", "c": [1, "x"], "d": None, "e": "data/raw x", "f": "", "g": "3", "h": "a=b", "i": "true",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("split",), "`-k split` has no value; write `-k split=VALUE`"),
        (("1x=3",), "`-k 1x=3`: `1x` is not the name of an argument"),
        (("a=1", "a=2"), "`-k a=...` is given twice"),
    ],
)
def test_a_malformed_argument_says_what_to_write(texts: tuple[str, ...], message: str) -> None:
    """Each misuse has its own sentence."""
    assert error_of(lambda: parse_kwargs(texts)) == message


def test_a_callable_gets_its_arguments() -> None:
    """Positional-only parameters, defaults, partials and open keyword lists are served."""

    def positional(a, /, b):
        return a, b

    def open_ended(**kwargs):
        return kwargs

    assert [
        call_target(make, "make", {"split": "val", "shuffle": True}),
        call_target(positional, "positional", {"a": 1, "b": 2}),
        call_target(open_ended, "open_ended", {"x": 1}),
        call_target(functools.partial(make, "train"), "partial", {"size": 5}),
    ] == [("val", 2, True), (1, 2), {"x": 1}, ("train", 5, False)]


def test_a_misfit_names_the_parameters() -> None:
    """Unknown arguments offer the nearest, missing ones how to give them."""

    class Config:
        def loader(self):
            return []

    assert [
        error_of(lambda: call_target(make, "make", {"splt": 1})),
        error_of(lambda: call_target(make, "make", {"quantity": 1})),
        error_of(lambda: call_target(make, "make", {})),
        error_of(lambda: call_target(dict.fromkeys, "f", {})) != "",
        error_of(lambda: call_target(lambda: 1, "f", {"x": 1})),
        error_of(lambda: call_target(Config.loader, "Config.loader", {})),
    ] == [
        "`make` has no parameter `splt`; did you mean `split`?",
        "`make` has no parameter `quantity` (its parameters: `split`, `size`, `shuffle`)",
        "`make` needs `split` (its parameters: `split`, `size`, `shuffle`); add `-k split=VALUE`",
        True,
        "`f` has no parameter `x`; it takes no arguments",
        "`Config.loader` is a method of a class; name an instance, or make it a staticmethod",
    ]


def test_a_call_that_raises_names_the_frame() -> None:
    """The exception of a maker is one sentence with the place."""

    def broken():
        raise OSError("no such disk")

    line = broken.__code__.co_firstlineno + 1
    message = error_of(lambda: from_object(broken, TargetOptions("data.py:broken")))
    assert message.startswith("calling `data.py:broken` raised OSError: no such disk, at ")
    assert message.endswith(f"test_arguments.py:{line} (broken)")


def test_arguments_for_something_that_is_not_called_are_refused() -> None:
    """`-k` on a dataset says what it is."""
    message = error_of(lambda: from_object([1, 2], TargetOptions("rows", kwargs=("x=1",))))
    assert message == "`-k x`: `rows` is a list of (int, int), which takes no arguments"
