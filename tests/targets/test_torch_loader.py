"""torch DataLoaders are copied and set anew; the user's object never changes."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
)

from dldoctor.errors import TargetError
from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.targets import Pipeline, from_object


class Rows(Dataset):
    def __init__(self, n: int = 10) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.tensor(i)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(10))

    def __len__(self) -> int:
        return 10


class Buckets:
    def __iter__(self):
        yield from ([0, 1, 2], [3])

    def __len__(self) -> int:
        return 2


class EndlessLoader(DataLoader):
    """A loader that repeats itself, with an iterator made once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.iterator = super().__iter__()

    def __iter__(self):
        yield from self.iterator


class DoublingLoader(DataLoader):
    """A subclass with parameters and an iteration of its own."""

    def __init__(self, rows: int, factor: int) -> None:
        self.factor = factor
        super().__init__(Rows(rows), batch_size=2)

    def __iter__(self):
        for batch in super().__iter__():
            yield batch * self.factor


def collate_to_sum(rows):
    return int(sum(rows))


def changed(loader: Any, **options: Any) -> Pipeline:
    return from_object(loader, TargetOptions("loader", loader=LoaderOptions(**options)))


def batches(pipeline: Pipeline) -> list[list[int]]:
    return [torch.as_tensor(batch).tolist() for batch in pipeline.loader]


def error_of(loader: Any, **options: Any) -> str:
    with pytest.raises(TargetError) as caught:
        changed(loader, **options)
    return str(caught.value)


def test_without_options_it_is_an_equal_copy() -> None:
    """The copy has the same settings, and writing into it does not reach the original."""
    loader = DataLoader(Rows(), batch_size=4, drop_last=True)
    pipeline = changed(loader)
    assert pipeline.loader is pipeline.torch_loader is not loader
    assert vars(pipeline.loader) == vars(loader)
    vars(pipeline.torch_loader)["dataset"] = [i * 10 for i in range(10)]
    assert batches(pipeline) == [[0, 10, 20, 30], [40, 50, 60, 70]]
    assert [b.tolist() for b in loader] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_persistent_workers_of_the_original_are_left_alone() -> None:
    """The copy starts an iterator of its own."""
    loader = DataLoader(Rows(), batch_size=5, num_workers=1, persistent_workers=True)
    iterator = iter(loader)
    pipeline = changed(loader)
    assert vars(pipeline.loader)["_iterator"] is None
    assert loader._iterator is iterator
    assert [b.tolist() for b in iterator] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    iterator._shutdown_workers()


def test_every_option_takes_hold_in_the_copy_only() -> None:
    """Size, order, workers, pinning and collate are set; the original is as before."""
    loader = DataLoader(Rows(), batch_size=4, shuffle=True)
    before = dict(vars(loader))
    pipeline = changed(
        loader, batch_size=3, shuffle=False, drop_last=True, num_workers=2, prefetch_factor=5, pin_memory=True,
        persistent_workers=True, start_method="spawn", collate=f"{__name__}:collate_to_sum",
    )  # fmt: skip
    spec = pipeline.spec
    assert vars(loader) == before
    assert (
        spec.batch_size, spec.shuffle, spec.drop_last, spec.num_workers, spec.prefetch_factor, spec.pin_memory,
        spec.persistent_workers, spec.start_method, spec.collate_ref.symbol, spec.loader_length, len(spec.chosen),
    ) == (3, False, True, 2, 5, True, True, "spawn", "collate_to_sum", 3, 9)  # fmt: skip


def test_a_new_batch_size_keeps_the_sampler_and_its_generator() -> None:
    """Only what was asked for changes."""
    generator = torch.Generator()
    loader = DataLoader(Rows(), batch_size=4, shuffle=True, generator=generator, drop_last=True)
    pipeline = changed(loader, batch_size=5)
    copied = pipeline.torch_loader
    assert copied.batch_sampler.sampler is loader.sampler is copied.sampler
    assert (copied.generator, copied.drop_last, copied.batch_sampler.drop_last) == (generator, True, True)


def test_shuffling_uses_the_generator_of_the_loader() -> None:
    """The order asked for is drawn as the loader itself would draw it."""
    loader = DataLoader(Rows(), batch_size=10, generator=torch.Generator().manual_seed(3))
    same = DataLoader(Rows(), batch_size=10, shuffle=True, generator=torch.Generator().manual_seed(3))
    assert batches(changed(loader, shuffle=True)) == [b.tolist() for b in same]


def test_no_workers_clears_what_only_workers_use() -> None:
    """The copy runs in the process, whatever was set for workers."""
    loader = DataLoader(
        Rows(), batch_size=5, num_workers=2, prefetch_factor=4, persistent_workers=True, timeout=30,
        multiprocessing_context="spawn",
    )  # fmt: skip
    pipeline = changed(loader, num_workers=0)
    copied = pipeline.torch_loader
    assert (copied.prefetch_factor, copied.persistent_workers, copied.timeout) == (None, False, 0)
    assert copied.multiprocessing_context is None
    assert batches(pipeline) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_workers_bring_the_usual_prefetch() -> None:
    """A loader without workers has no prefetch factor; with workers it has torch's default."""
    assert changed(DataLoader(Rows()), num_workers=2).spec.prefetch_factor == 2


def test_a_stream_takes_another_batch_size() -> None:
    """Streams are batched anew, and their order cannot be chosen."""
    loader = DataLoader(Stream(), batch_size=4)
    pipeline = changed(loader, batch_size=6, drop_last=True)
    assert (batches(pipeline), pipeline.spec.kind, pipeline.spec.loader_length) == (
        [[0, 1, 2, 3, 4, 5]],
        "iterable",
        1,
    )
    assert (
        error_of(loader, shuffle=True)
        == "Stream is a stream without indices, so `--shuffle` cannot apply; drop it"
    )


def test_a_batch_sampler_given_by_hand_is_understood() -> None:
    """Torch's own batch sampler has a size like any loader; a user's own is replaced only on demand."""
    by_hand = DataLoader(Rows(), batch_sampler=BatchSampler(RandomSampler(Rows()), 4, drop_last=True))
    own = DataLoader(Rows(), batch_sampler=Buckets())
    spec = changed(by_hand).spec
    assert (spec.batch_size, spec.drop_last, spec.shuffle, spec.sampler) == (
        4, True, True, "torch.utils.data.sampler.RandomSampler",
    )  # fmt: skip
    assert changed(by_hand, batch_size=2).spec.batch_size == 2
    assert (changed(own).spec.batch_size, changed(own).spec.batch_sampler) == (None, f"{__name__}.Buckets")
    assert error_of(own, batch_size=2) == (
        "the loader has a batch sampler of its own, Buckets, which decides size and order of the batches; "
        "replace it with `--sampler` or `--shuffle`"
    )
    assert batches(changed(own, shuffle=False, batch_size=5)) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_items_that_were_batches_are_collated_when_a_size_is_asked_for() -> None:
    """Without automatic batching items are only converted; with it they are stacked."""
    loader = DataLoader(Rows(4), batch_size=None)
    assert batches(changed(loader)) == [0, 1, 2, 3]
    assert batches(changed(loader, batch_size=2)) == [[0, 1], [2, 3]]
    assert error_of(loader, drop_last=True).startswith("`--drop-last` needs a batch size")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "`--batch-size 0` is impossible; the least is 1"),
        ({"num_workers": -1}, "`--num-workers -1` is impossible; the least is 0"),
        ({"prefetch_factor": 4}, "`--prefetch-factor` needs workers, and this loader has none; add `--num-workers 2`"),
        ({"start_method": "spawn"}, "`--start-method` needs workers, and this loader has none; add `--num-workers 2`"),
        ({"sampler": "a:b", "shuffle": True}, "`--sampler` and `--shuffle` both decide the order; give one of them"),
        ({"collate": "collate"}, "`--collate collate` names no object; write `--collate FILE:NAME`"),
    ],
)  # fmt: skip
def test_impossible_settings_are_told(options: dict[str, Any], message: str) -> None:
    """Each contradiction is one sentence."""
    assert error_of(DataLoader(Rows()), **options) == message


def test_a_subclass_keeps_its_own_state_and_iteration() -> None:
    """Whatever its constructor takes, the copy behaves as the original with other settings."""
    pipeline = changed(DoublingLoader(4, factor=10), batch_size=4)
    assert (batches(pipeline), pipeline.spec.loader_type) == ([[0, 10, 20, 30]], f"{__name__}.DoublingLoader")


def test_a_loader_that_made_its_iterator_at_creation_cannot_be_set_anew() -> None:
    """It is read as it is, and a wish to change it is refused with the reason."""
    loader = EndlessLoader(Rows(4), batch_size=2)
    assert error_of(loader, batch_size=4) == (
        "the settings of this EndlessLoader cannot be changed, because it made its iterator when it was "
        "created; name its dataset instead"
    )
    assert batches(changed(loader)) == [[0, 1], [2, 3]]


def test_resolving_draws_no_random_number() -> None:
    """The global generators and the loader's own are as before."""
    generator = torch.Generator().manual_seed(1)
    loader = DataLoader(Rows(), batch_size=4, shuffle=True, generator=generator)
    before = (random.getstate(), torch.get_rng_state().tolist(), generator.get_state().tolist())
    changed(loader, batch_size=2, shuffle=True)
    assert (random.getstate(), torch.get_rng_state().tolist(), generator.get_state().tolist()) == before


def test_asking_for_the_length_of_a_stream_leaves_no_warning_behind() -> None:
    """Torch warns when more batches come than a length that was asked for."""
    loader = DataLoader(Stream(), batch_size=2)
    pipeline = changed(loader)
    assert (pipeline.spec.loader_length, pipeline.loader._IterableDataset_len_called) == (5, None)


def test_samplers_by_option_get_the_dataset_where_they_take_one(write) -> None:
    """A class or function is called; an object is used as it is."""
    write(
        "order.py",
        "def backwards(dataset):\n    return range(len(dataset) - 1, -1, -1)\n\nTWO = [0, 1]\nNONE = 3\n",
    )
    loader = DataLoader(Rows(4), batch_size=4)
    assert batches(changed(loader, sampler="order.py:backwards")) == [[3, 2, 1, 0]]
    assert batches(changed(loader, sampler="order.py:TWO")) == [[0, 1]]
    assert error_of(loader, sampler="order.py:NONE") == (
        "`--sampler order.py:NONE` gives a int, which cannot be iterated"
    )


def test_an_empty_dataset_can_be_asked_to_shuffle() -> None:
    """That nothing is there is a finding of the run, not an error of the target."""
    assert changed(DataLoader(Rows(0)), shuffle=True).spec.dataset_length == 0


def test_sequential_and_random_samplers_are_told_apart() -> None:
    """The order is known where the sampler is torch's own."""
    rows = Rows()
    loaders = [
        DataLoader(rows),
        DataLoader(rows, shuffle=True),
        DataLoader(rows, sampler=torch.utils.data.SubsetRandomSampler([1, 2])),
        DataLoader(rows, sampler=torch.utils.data.WeightedRandomSampler([1.0] * 10, 10)),
        DataLoader(rows, sampler=RandomSampler(rows, replacement=True)),
        DataLoader(rows, sampler=torch.utils.data.DistributedSampler(rows, num_replicas=2, rank=0)),
        DataLoader(
            rows, sampler=torch.utils.data.DistributedSampler(rows, num_replicas=2, rank=0, shuffle=False)
        ),
        DataLoader(rows, sampler=SequentialSampler(rows)),
        DataLoader(rows, sampler=[3, 1]),
        DataLoader(Stream()),
    ]
    specs = [changed(loader).spec for loader in loaders]
    assert [(s.shuffle, s.replacement, s.world_size) for s in specs] == [
        (False, False, 1), (True, False, 1), (True, False, 1), (True, True, 1), (True, True, 1), (True, False, 2),
        (False, False, 2), (False, False, 1), (None, False, 1), (None, False, 1),
    ]  # fmt: skip
