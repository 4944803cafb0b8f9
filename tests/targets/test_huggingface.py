"""Trainer and the loaders that accelerate wraps; both are recognised by what they can do."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from dldoctor.errors import TargetError
from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.targets import SeveralLoadersError, from_object


class Rows(Dataset):
    def __init__(self, n: int = 8) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"x": torch.tensor([float(i)]), "labels": torch.tensor([0.0]), "note": torch.tensor(1)}


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 1)

    def forward(self, x, labels=None):
        return {"loss": (self.linear(x) - labels).square().mean()}


def stack(rows):
    return {key: torch.stack([row[key] for row in rows]) for key in rows[0]}


class MakesLoaders:
    """The part of a Trainer that makes loaders."""

    def __init__(self, train=None, evaluation=None) -> None:
        self.train_dataset, self.eval_dataset = train, evaluation

    def get_train_dataloader(self):
        return DataLoader(self.train_dataset, batch_size=4, shuffle=True)

    def get_eval_dataloader(self, dataset=None):
        chosen = self.eval_dataset[dataset] if isinstance(dataset, str) else self.eval_dataset
        return DataLoader(chosen, batch_size=2)


class Sharded:
    """Claims to be the loader that it wraps, as accelerate's wrapper does."""

    def __init__(self, base: DataLoader) -> None:
        self.base_dataloader = base

    def __getattr__(self, name: str):
        if name == "base_dataloader":
            raise AttributeError
        return getattr(self.base_dataloader, name)

    @property
    def __class__(self):
        return self.base_dataloader.__class__

    def __len__(self) -> int:
        return len(self.base_dataloader)

    def __iter__(self):
        for batch in self.base_dataloader:
            yield {key: value + 100 for key, value in batch.items()}


def found(obj, **options):
    return from_object(obj, TargetOptions("trainer", **options))


def test_a_trainer_gives_the_loader_that_is_asked_for() -> None:
    """Training by default, evaluation by name, one of several by its own name."""
    one = MakesLoaders(Rows(8), Rows(3))
    several = MakesLoaders(Rows(8), {"clean": Rows(1), "noisy": Rows(2)})
    lengths = [
        found(trainer, loader_key=key).spec.dataset_length
        for trainer, key in [
            (one, None), (one, "train"), (one, "eval"), (several, "eval.noisy"), (MakesLoaders(None, Rows(5)), None),
        ]
    ]  # fmt: skip
    assert lengths == [8, 8, 3, 2, 5]
    with pytest.raises(SeveralLoadersError) as caught:
        found(several, loader_key="eval")
    assert caught.value.names == ("eval.clean", "eval.noisy")


def test_a_trainer_without_data_says_so() -> None:
    """Nothing can be read where nothing was given."""
    with pytest.raises(TargetError) as caught:
        found(MakesLoaders())
    assert str(caught.value) == (
        "`trainer` has no loader: it has neither data for training nor for evaluation"
    )


def test_a_wrapper_that_claims_to_be_a_loader_is_seen_through() -> None:
    """Settings and swaps reach the loader that does the work, in copies of both."""
    wrapper = Sharded(DataLoader(Rows(4), batch_size=2))
    pipeline = found(wrapper, loader=LoaderOptions(batch_size=4))
    vars(pipeline.torch_loader)["collate_fn"] = lambda rows: {"x": torch.stack([row["x"] for row in rows])}
    assert [batch["x"].flatten().tolist() for batch in pipeline.loader] == [[100.0, 101.0, 102.0, 103.0]]
    assert [sorted(batch) for batch in wrapper] == [["labels", "note", "x"]] * 2
    assert pipeline.spec.loader_type == f"{__name__}.Sharded"


def test_a_real_trainer(tmp_path) -> None:
    """The loader of `transformers.Trainer` with its column-dropping collator around the user's."""
    pytest.importorskip("accelerate", reason="transformers.Trainer needs accelerate")
    from transformers import Trainer, TrainingArguments

    arguments = TrainingArguments(
        str(tmp_path), use_cpu=True, per_device_train_batch_size=4, report_to=[], dataloader_pin_memory=False
    )
    trainer = Trainer(Model(), arguments, train_dataset=Rows(), data_collator=stack)
    pipeline = found(trainer)
    spec = pipeline.spec
    assert (spec.kind, spec.view, spec.batch_size, spec.shuffle, spec.dataset_length) == (
        "map",
        "inside",
        4,
        True,
        8,
    )
    assert (spec.dataset_ref.symbol, spec.collate_ref.symbol) == ("Rows", "stack")
    assert [sorted(batch) for batch in pipeline.loader] == [["labels", "x"]] * 2
