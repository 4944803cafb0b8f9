"""The loader of torchdata that keeps its state is copied like any other, its state included."""

from __future__ import annotations

import pytest

from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.targets import from_object

# torchdata calls a function that newer torch calls deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:'set_vital' is deprecated")
stateful = pytest.importorskip("torchdata.stateful_dataloader")


def make():
    return stateful.StatefulDataLoader(list(range(12)), batch_size=2, shuffle=False)


def test_settings_change_in_the_copy_only() -> None:
    """The copy is of the same class and reads with the new settings."""
    loader = make()
    pipeline = from_object(loader, TargetOptions("loader", loader=LoaderOptions(batch_size=6)))
    assert type(pipeline.loader) is type(loader)
    assert [b.tolist() for b in pipeline.loader] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert (loader.batch_size, len(loader)) == (2, 6)


def test_reading_the_copy_does_not_move_the_original() -> None:
    """Its place in the epoch, and a state that was loaded, stay where they were."""
    loader, loaded = make(), make()
    iterator = iter(loader)
    next(iterator)
    next(iterator)
    loaded.load_state_dict(loader.state_dict())
    before = loader.state_dict()
    assert next(iter(from_object(loader, TargetOptions("loader")).loader)).tolist() == [0, 1]
    assert loader.state_dict() == before
    list(from_object(loaded, TargetOptions("loader")).loader)
    assert next(iter(loaded)).tolist() == [4, 5]
