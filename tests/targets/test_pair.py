"""Two targets in one process: what one call draws belongs to both loaders."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from dldoctor.intent import TargetOptions  # noqa: E402
from dldoctor.targets import Pipeline, resolve  # noqa: E402
from dldoctor.targets.pair import beside  # noqa: E402

DRAWN = """
import random
from torch.utils.data import DataLoader
CALLS = []
def loaders():
    CALLS.append(0)
    order = random.sample(range(40), 40)
    return {"train": DataLoader(order[:30], 4), "eval": DataLoader(order[30:], 4)}
def train():
    return DataLoader(random.sample(range(40), 30), 4)
def held_out():
    return DataLoader(random.sample(range(40), 10), 4)
class LightningDataModule:
    pass
class Data(LightningDataModule):
    def setup(self, stage):
        order = random.sample(range(40), 40)
        self.parts = order[:30], order[30:]
    def train_dataloader(self):
        return DataLoader(self.parts[0], 4)
    def val_dataloader(self):
        return DataLoader(self.parts[1], 4)
"""


def pair(first: TargetOptions, second: TargetOptions) -> tuple[Pipeline, Pipeline]:
    return beside(first, resolve(first), second)


def shared(sides: tuple[Pipeline, Pipeline]) -> set[int]:
    datasets = [side.dataset for side in sides]
    assert datasets[0] is not None
    assert datasets[1] is not None
    return set(datasets[0]) & set(datasets[1])


@pytest.fixture
def drawn(tmp_path: Path) -> str:
    path = tmp_path / "drawn_split.py"
    path.write_text(DRAWN, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("name", "held_out"), [("loaders", "eval"), ("Data", "val")])
def test_loaders_of_one_maker_come_from_one_call(drawn: str, name: str, held_out: str) -> None:
    """A split that is drawn without a seed parts them all the same."""
    spec = f"{drawn}:{name}"
    found = pair(TargetOptions(spec, loader_key="train"), TargetOptions(spec, loader_key=held_out))
    assert (shared(found), [len(side.dataset or ()) for side in found]) == (set(), [30, 10])


def test_two_makers_draw_for_themselves(drawn: str) -> None:
    """As in the user's script; 30 and 10 of 40 that have nothing in common are one in 800 million."""
    assert shared(pair(TargetOptions(f"{drawn}:train"), TargetOptions(f"{drawn}:held_out")))
