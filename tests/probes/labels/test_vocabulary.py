"""The tokenizer that nobody hands over."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from dldoctor.probes.labels.vocabulary import find_tokenizer


class Words:
    """What a small tokenizer can do."""

    eos_id, pad_id, vocab_size = 2, 0, 50

    def encode(self, text: str) -> list[int]:
        return [len(word) + 3 for word in text.split()]


Module = Callable[..., types.ModuleType]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Module:
    """Make a module of the user's that holds some objects."""

    def made(name: str, **held: object) -> types.ModuleType:
        one = types.ModuleType(name)
        one.__file__ = str(tmp_path / f"{name}.py")
        vars(one).update(held)
        monkeypatch.setitem(sys.modules, name, one)
        return one

    return made


def bare() -> types.SimpleNamespace:
    """A pipeline on which no tokenizer hangs."""
    return types.SimpleNamespace(torch_loader=None, dataset=[1, 2], loader=None)


def test_the_only_tokenizer_of_the_users_modules_is_taken(module: Module) -> None:
    """With its special ids, and without a word on the size of the vocabulary."""
    module("prepare_texts", tok=Words(), again=1)
    found = find_tokenizer(bare())
    assert found is not None
    assert (found.at, found.eos, found.pad, found.size) == ("prepare_texts.tok", 2, 0, None)


def test_of_two_tokenizers_none_is_taken(module: Module) -> None:
    """Nobody knows which of them made the rows; the same one in two modules is one."""
    shared = Words()
    module("prepare_texts", tok=shared)
    module("train_texts", tokenizer=shared)
    assert find_tokenizer(bare()) is not None
    module("evaluate_texts", other=Words())
    assert find_tokenizer(bare()) is None
