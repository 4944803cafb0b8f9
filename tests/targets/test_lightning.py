"""Data modules: their hooks run in a trainer's order, and their loaders are picked by name."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest
from torch.utils.data import DataLoader

from dldoctor.errors import TargetError
from dldoctor.intent import TargetOptions
from dldoctor.targets import SeveralLoadersError, from_object


class LightningDataModule:
    """The hooks of the real base, for interpreters without Lightning."""

    def prepare_data(self) -> None: ...

    def setup(self, stage: str) -> None: ...


PACKAGES = [
    name
    for name in ("lightning.pytorch", "pytorch_lightning")
    if importlib.util.find_spec(name.partition(".")[0])
]
"""Imported by the tests that need them, not by whoever collects the tests: that takes seconds."""


def base_in(package: str) -> Any:
    return importlib.import_module(package).LightningDataModule


@pytest.fixture(params=["no package", *PACKAGES])
def Module(request):
    class Module(LightningDataModule if request.param == "no package" else base_in(request.param)):
        def __init__(self, rows: int = 6) -> None:
            super().__init__()
            self.calls, self.rows = [], rows

        def prepare_data(self) -> None:
            self.calls.append("prepare_data")

        def setup(self, stage: str) -> None:
            self.calls.append(f"setup({stage})")
            self.data = list(range(self.rows))

        def train_dataloader(self):
            return DataLoader(self.data, batch_size=3)

        def val_dataloader(self):
            return [DataLoader(self.data, batch_size=2), DataLoader(self.data, batch_size=6)]

        def test_dataloader(self):
            return DataLoader(self.data[:1])

    return Module


def found(obj, **options):
    return from_object(obj, TargetOptions("module", **options))


def test_hooks_run_in_the_order_of_a_trainer(Module) -> None:
    """Preparation, then set-up for the stage, then the loader."""
    module = Module()
    assert [b.tolist() for b in found(module).loader] == [[0, 1, 2], [3, 4, 5]]
    assert module.calls == ["prepare_data", "setup(fit)"]
    found(module, loader_key="test")
    assert module.calls[2:] == ["prepare_data", "setup(test)"]


def test_a_class_is_made_with_its_arguments(Module) -> None:
    """`-k` goes to the constructor."""
    assert found(Module, kwargs=("rows=9",)).spec.dataset_length == 9


def test_several_validation_loaders_are_picked_with_a_dot(Module) -> None:
    """`--loader val.1` is the second of them."""
    assert found(Module(), loader_key="val.1").spec.batch_size == 6
    with pytest.raises(SeveralLoadersError) as caught:
        found(Module(), loader_key="val")
    assert caught.value.names == ("val.0", "val.1")


def test_a_hook_that_is_not_there_is_named(Module) -> None:
    """Only the hooks that the user wrote can be picked."""
    with pytest.raises(TargetError) as caught:
        found(Module(), loader_key="predict")
    assert str(caught.value) == "no loader `predict` in `module`; it has `train`, `val`, `test`"


def test_a_setup_without_a_stage_is_called_without(Module) -> None:
    """Old code defines the hook without its argument."""

    class Old(Module):
        def setup(self) -> None:
            self.data = [1]

    assert found(Old()).spec.dataset_length == 1
