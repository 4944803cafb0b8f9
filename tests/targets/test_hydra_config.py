"""Configurations of Hydra's: composed, overridden, and a node of them made."""

from __future__ import annotations

import sys

import pytest

from dldoctor.errors import TargetError
from dldoctor.intent import TargetOptions
from dldoctor.targets import SeveralLoadersError, resolve
from dldoctor.targets.address import parse_address

pytest.importorskip("hydra")

TRAIN = """
defaults:
  - data: rows
  - _self_
seed: 3
model:
  _target_: nowhere.Model
root: ${hydra:runtime.cwd}/x
unset: ???
"""
ROWS = """
train:
  _target_: torch.utils.data.DataLoader
  batch_size: 4
  dataset:
    _target_: rows_of_config.Rows
    count: 12
    seed: ${seed}
val:
  _target_: torch.utils.data.DataLoader
  batch_size: 2
  dataset:
    _target_: rows_of_config.Rows
    count: 6
"""
MODULE = """
class Rows:
    def __init__(self, count, seed=0):
        self.count, self.seed = count, seed

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return i + self.seed
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A script's folder with `conf/train.yaml`, `conf/data/*.yaml` and a module."""
    (tmp_path / "conf" / "data").mkdir(parents=True)
    (tmp_path / "conf" / "train.yaml").write_text(TRAIN)
    (tmp_path / "conf" / "data" / "rows.yaml").write_text(ROWS)
    (tmp_path / "conf" / "data" / "small.yaml").write_text(ROWS.replace("12", "8"))
    (tmp_path / "rows_of_config.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("rows_of_config", None)


def test_a_node_is_made_with_what_it_refers_to(project):
    """Groups are composed, interpolations resolved."""
    pipeline = resolve(TargetOptions("hydra:conf/train@data.train"))
    assert (pipeline.spec.dataset_length, pipeline.spec.batch_size) == (12, 4)
    assert next(batch.tolist() for batch in pipeline.loader) == [3, 4, 5, 6]


def test_arguments_override_the_configuration(project):
    """Values, groups, and what is not there yet."""
    options = TargetOptions(
        "hydra:conf/train@data.train", kwargs=("data=small", "data.train.batch_size=2", "+x=None")
    )
    assert (resolve(options).spec.dataset_length, resolve(options).spec.batch_size) == (8, 2)


def test_a_node_with_several_loaders_is_a_choice(project):
    """And only the chosen one is made."""
    assert resolve(TargetOptions("hydra:conf/train@data", loader_key="val")).spec.dataset_length == 6
    with pytest.raises(SeveralLoadersError) as caught:
        resolve(TargetOptions("hydra:conf/train@data"))
    assert caught.value.names == ("train", "val")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "hydra:conf/train",
            "`hydra:conf/train` makes nothing: it has no `_target_`; name a node that has one, as in `hydra:conf/train@data.train` (also data.val)",
        ),
        ("hydra:conf/train@data.trian", "no `trian` in `hydra:conf/train@data.trian`; did you mean `train`?"),
        (
            "hydra:conf/train@model",
            "making `hydra:conf/train@model` raised InstantiationException: Error locating target",
        ),
    ],
)
def test_a_node_that_makes_no_loader_is_told(project, spec, message):
    """With those that would."""
    with pytest.raises(TargetError) as caught:
        resolve(TargetOptions(spec))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hydra:conf/trian", "no configuration `trian` in conf; did you mean `train`?"),
        ("hydra:nowhere/train", "no folder `nowhere` of configurations"),
        ("hydra:", "names no configuration"),
    ],
)
def test_a_configuration_that_is_not_there_is_told_at_once(project, spec, message):
    """Without Hydra, which only the child has."""
    with pytest.raises(TargetError) as caught:
        parse_address(spec)
    assert message in str(caught.value)


def test_where_hydra_is_missing_that_is_said(project, monkeypatch):
    """With the interpreter that lacks it."""
    monkeypatch.setitem(sys.modules, "hydra", None)
    with pytest.raises(TargetError, match=r"needs Hydra, which .* does not have"):
        resolve(TargetOptions("hydra:conf/train@data.train"))
