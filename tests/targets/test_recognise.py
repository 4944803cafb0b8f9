"""What an object is, and what is said about objects that are no target."""

from __future__ import annotations

import functools
from collections import UserDict, namedtuple
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    Sampler,
    Subset,
    TensorDataset,
    random_split,
)

from dldoctor.errors import TargetError
from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.targets import Pipeline, SeveralLoadersError, from_object


class Rows(Dataset):
    def __init__(self, n: int = 10) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> int:
        return i


class RowsWithCollate(Rows):
    def collate_fn(self, rows):
        return {"rows": rows, "of": self.n}


class Unsized(Dataset):
    def __getitem__(self, i: int) -> int:
        return i


class BrokenLength(Rows):
    def __len__(self) -> int:
        raise RuntimeError("not yet")


class LikeHuggingFace:
    """Has `__getitems__`, as Hugging Face datasets have, and is no torch dataset."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> dict[str, int]:
        return {"x": i}

    def __getitems__(self, ids: list[int]) -> list[dict[str, int]]:
        return [{"x": i * 10} for i in ids]


class Lines:
    """Yields samples and is no torch dataset."""

    def __iter__(self):
        return iter(range(10))


class BatchReader:
    """Yields batches and knows its dataset, like loaders of other libraries."""

    def __init__(self) -> None:
        self.dataset = Rows()
        self.batch_size = 5

    def __iter__(self):
        yield from ([0, 1, 2, 3, 4], [5, 6, 7, 8, 9])

    def __len__(self) -> int:
        return 2


class Prefetcher:
    """Stands around a loader, like those that move batches to a device."""

    def __init__(self, loader: DataLoader) -> None:
        self.loader = loader

    def __iter__(self):
        for batch in self.loader:
            yield batch + 100

    def __len__(self) -> int:
        return len(self.loader)


class Unmade(DataLoader):
    """A subclass that serves batches of its own and skips torch's constructor."""

    def __init__(self) -> None:
        vars(self)["dataset"] = Rows()

    def __iter__(self):
        yield from ([1], [2])

    def __len__(self) -> int:
        return 2


class Grouper(IterableDataset):
    """An iterable dataset around a loader, which yields batches."""

    def __init__(self, loader: DataLoader) -> None:
        self.dataset = loader

    def __iter__(self):
        yield from self.dataset


def collate(rows):
    return list(rows)


def found(obj: Any, **options: Any) -> Pipeline:
    return from_object(obj, TargetOptions("thing", **options))


def read(pipeline: Pipeline) -> list[Any]:
    return [b.tolist() if isinstance(b, torch.Tensor) else b for b in pipeline.loader]


def error_of(obj: Any, **options: Any) -> str:
    with pytest.raises(TargetError) as caught:
        found(obj, **options)
    return str(caught.value)


FIRST, REST = list(range(8)), [8, 9]


@pytest.mark.parametrize(
    ("thing", "given", "kind", "batches"),
    [
        (DataLoader(Rows(4), batch_size=2), "loader", "map", [[0, 1], [2, 3]]),
        (Rows(), "dataset", "map", [FIRST, REST]),
        (Rows, "dataset", "map", [FIRST, REST]),
        (lambda: Rows(10), "dataset", "map", [FIRST, REST]),
        (functools.partial(Rows, 2), "dataset", "map", [[0, 1]]),
        (RowsWithCollate(9), "dataset", "map", [{"rows": FIRST, "of": 9}, {"rows": [8], "of": 9}]),
        (Subset(RowsWithCollate(9), [3]), "dataset", "map", [{"rows": [3], "of": 9}]),
        ((Rows(), collate), "pair", "map", [FIRST, REST]),
        ((list(range(10)), collate), "pair", "map", [FIRST, REST]),
        (list(range(10)), "dataset", "map", [FIRST, REST]),
        ({0: 5, 1: 6}, "dataset", "map", [[5, 6]]),
        (LikeHuggingFace(), "dataset", "map", [{"x": torch.tensor([0, 10, 20, 30])}]),
        (Lines(), "dataset", "iterable", [FIRST, REST]),
        (BatchReader(), "loader", "batches", [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]),
        (Unmade(), "loader", "batches", [[1], [2]]),
        ((b for b in ([1], [2])), "loader", "batches", [[1], [2]]),
        (Prefetcher(DataLoader(Rows(4), batch_size=2)), "loader", "map", [[100, 101], [102, 103]]),
        (Grouper(DataLoader(Rows(4), batch_size=2)), "loader", "map", [[0, 1], [2, 3]]),
        ({"only": DataLoader(Rows(2), batch_size=2), "classes": 3}, "loader", "map", [[0, 1]]),
        (ConcatDataset([Rows(2), Rows(1)]), "dataset", "map", [[0, 1, 0]]),
        (TensorDataset(torch.arange(2)), "dataset", "map", [[torch.tensor([0, 1])]]),
    ],
)  # fmt: skip
def test_each_form_of_target_is_read(thing: Any, given: str, kind: str, batches: list[Any]) -> None:
    """Its batches come out as the user's own code would make them."""
    pipeline = found(thing)
    assert (pipeline.spec.given, pipeline.spec.kind) == (given, kind)
    assert str(read(pipeline)) == str(batches)


def test_what_is_seen_from_outside_has_no_loader_inside() -> None:
    """The view says whether samples can be seen."""
    inside, outside = found(Prefetcher(DataLoader(Rows()))), found(BatchReader())
    assert (inside.spec.view, outside.spec.view) == ("inside", "outside")
    assert (outside.torch_loader, outside.dataset, outside.spec.batch_size, outside.spec.loader_length) == (
        None,
        None,
        5,
        2,
    )
    assert error_of(BatchReader(), loader=LoaderOptions(batch_size=3)) == (
        "`--batch-size`: `thing` is BatchReader, of which only the batches can be seen, so its settings cannot "
        "be changed; name its dataset instead"
    )


def test_a_swap_inside_a_wrapper_takes_hold_and_spares_the_original() -> None:
    """The wrapper's copy stands around our copy of the inner loader."""
    wrapper = Prefetcher(DataLoader(Rows(4), batch_size=2))
    pipeline = found(wrapper, loader=LoaderOptions(batch_size=4))
    vars(pipeline.torch_loader)["dataset"] = [10, 11, 12, 13]
    assert (read(pipeline), [b.tolist() for b in wrapper]) == (
        [[110, 111, 112, 113]],
        [[100, 101], [102, 103]],
    )


def test_a_loader_of_several_is_picked_by_name() -> None:
    """Dicts by key, tuples by position, named tuples by field, and nested ones with dots."""
    train, val = DataLoader(Rows(1)), DataLoader(Rows(2))
    splits = namedtuple("splits", "train val")  # noqa: PYI024
    lengths = [
        found(thing, loader_key=key).spec.dataset_length
        for thing, key in [
            ({"train": train, "val": val}, "val"),
            (UserDict(train=train, val=val), "train"),
            ((train, val, ["cat", "dog"]), "1"),
            (splits(train, val), "val"),
            ({"train": train, "val": {"clean": val, "noisy": train}}, "val.clean"),
            ([Rows(3), Rows(4)], "1"),
            (lambda: (train, val), "0"),
            (random_split(Rows(10), [7, 3]), "1"),
        ]
    ]
    assert lengths == [2, 1, 2, 2, 2, 4, 1, 3]


def test_several_loaders_without_a_choice_are_named() -> None:
    """The error carries what `--loader` takes, nested names in full."""
    train = DataLoader(Rows())
    with pytest.raises(SeveralLoadersError) as caught:
        found({"train": train, "val": train})
    assert (caught.value.names, str(caught.value)) == (
        ("train", "val"),
        "`thing` has several loaders: `train`, `val`; pick one with `--loader NAME`",
    )
    with pytest.raises(SeveralLoadersError) as caught:
        found({"train": train, "val": {"a": train, "b": train}}, loader_key="val")
    assert caught.value.names == ("val.a", "val.b")


def test_a_wrong_choice_names_the_nearest() -> None:
    """Unknown names, and choosing where there is nothing to choose."""
    loaders = {"train": DataLoader(Rows()), "val": DataLoader(Rows())}
    assert error_of(loaders, loader_key="trian") == "no loader `trian` in `thing`; did you mean `train`?"
    assert error_of(loaders, loader_key="q") == "no loader `q` in `thing`; it has `train`, `val`"
    assert error_of(Rows(), loader_key="val") == (
        "`--loader val` picks from several loaders, but `thing` is a Rows"
    )


@pytest.mark.parametrize(
    ("thing", "what"),
    [
        (3, "`thing` is an int"),
        (None, "`thing` is None"),
        ("data", "`thing` is a str"),
        ({"a": 1}, "`thing` is a dict with the keys a"),
        ({}, "`thing` is an empty dict"),
        (lambda: None, "`thing()` is None"),
        (lambda: collate, "`thing()` is the function collate"),
        (lambda: (torch.zeros(2), torch.zeros(2)), "`thing()` is a tuple of (Tensor, Tensor)"),
        (nn.Linear(1, 1), "`thing` is a Linear"),
        ({1, 2}, "`thing` is a set"),
    ],
)  # fmt: skip
def test_what_is_no_target_is_named(thing: Any, what: str) -> None:
    """The sentence says what was found and what is accepted."""
    accepted = (
        "a loader, a dataset, a pair (dataset, collate), a dict of loaders, or a callable that returns one"
    )
    assert error_of(thing) == f"{what}; a target is {accepted}"


def test_a_dataset_without_a_length_says_what_to_define() -> None:
    """Nobody can tell which indices exist."""
    assert error_of(Unsized()) == (
        "Unsized has `__getitem__` but no `__len__`, so nobody can tell which items there are; define `__len__`, "
        "or name a loader"
    )


def test_a_length_that_raises_is_unknown() -> None:
    """It is told when the data is read, not when the target is found."""
    assert found(BrokenLength()).spec.dataset_length is None


def test_options_make_the_loader_of_a_bare_dataset(write) -> None:
    """Batch size, workers, order and collate are as asked; settings are then known."""
    write(
        "c.py",
        "def total(rows):\n    return sum(rows)\n\nclass Collator:\n    def __call__(self, rows):\n        return -sum(rows)\n\ndef make(pad=0):\n    return total\n\nX = 3\n",
    )
    options = LoaderOptions(batch_size=5, collate="c.py:total")
    pipeline = found(Rows(), loader=options)
    assert (read(pipeline), pipeline.spec.settings_known, str(pipeline.spec.collate_ref)) == (
        [10, 35], True, "c.py:1 (total)",
    )  # fmt: skip
    assert read(found(Rows(2), loader=LoaderOptions(collate="c.py:Collator"))) == [-1]
    assert error_of(Rows(), loader=LoaderOptions(collate="c.py:X")) == (
        "`--collate c.py:X` names a int, which cannot be called"
    )
    assert (
        error_of(Rows(), loader=LoaderOptions(collate="c.py:totl"))
        == "no `totl` in c.py; did you mean `total`?"
    )


def test_places_of_the_users_code_are_named() -> None:
    """The dataset below splits, partial collates and methods are found; torch's own have no place."""
    spec = found((Subset(Rows(), [1]), functools.partial(collate))).spec
    assert (spec.dataset_ref.symbol, spec.collate_ref.symbol, spec.collate) == (
        "Rows", "collate", f"partial({__name__}.collate)",
    )  # fmt: skip
    plain = found(TensorDataset(torch.arange(3))).spec
    assert (plain.dataset_ref, plain.collate_ref, plain.sampler_ref, plain.default_collate) == (
        None,
        None,
        None,
        True,
    )


class Backwards(Sampler):
    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self):
        return iter(range(self.n - 1, -1, -1))

    def __len__(self) -> int:
        return self.n


class Cut:
    """Keeps its sampler under a name of its own."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __iter__(self):
        return iter(self.inner)


def test_who_decides_the_order_is_the_sampler_or_who_chose_it() -> None:
    """Also inside of torch's own; where the sampler is torch's, the function that made the loader, never the dataset."""

    def stock() -> DataLoader[Any]:
        return DataLoader(Rows(), sampler=DistributedSampler(Rows(), num_replicas=2, rank=0))

    batches = BatchSampler(Backwards(10), 4, drop_last=False)
    loaders = {
        "Backwards": [
            DataLoader(Rows(), sampler=Backwards(10)),
            DataLoader(Rows(), batch_sampler=batches),
            DataLoader(Rows(), sampler=batches, batch_size=None),
        ],
        "Cut": [
            DataLoader(Rows(), batch_sampler=Cut(batches)),
            DataLoader(Rows(), sampler=Cut(Backwards(10))),
        ],
    }
    for name, made in loaders.items():
        assert [found(one).spec.order_ref.symbol for one in made] == [name] * len(made)
    assert found(stock).spec.order_ref.symbol.endswith("stock")
    assert found(stock()).spec.order_ref is None
    assert found(DataLoader(Grouper(stock()))).spec.order_ref.symbol == "Grouper"
