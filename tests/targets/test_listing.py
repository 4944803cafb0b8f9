"""A file without a name: its one loader is used, or its loaders are listed."""

from __future__ import annotations

import pytest

from dldoctor.errors import TargetError
from dldoctor.intent import TargetOptions
from dldoctor.targets import list_targets, resolve

HEAD = """
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, n=3):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        return i

"""


def error_of(spec: str, *kwargs: str) -> str:
    with pytest.raises(TargetError) as caught:
        resolve(TargetOptions(spec, kwargs=kwargs))
    return str(caught.value)


def test_the_one_loader_of_a_file_is_used(write) -> None:
    """A loader goes before makers, makers of loaders before datasets."""
    write("a.py", HEAD + "loader = DataLoader(Rows(5))\ndef make_loader():\n    return DataLoader(Rows(6))\n")
    write("b.py", HEAD + "rows = Rows(5)\ndef make_loader():\n    return DataLoader(Rows(6))\n")
    write("c.py", HEAD + "rows = Rows(7)\n")
    write("d.py", HEAD)
    lengths = [resolve(TargetOptions(f"{n}.py")).spec.dataset_length for n in "abcd"]
    assert lengths == [5, 6, 7, 3]


def test_several_loaders_are_listed(write) -> None:
    """Nothing is guessed where two would do."""
    write("a.py", HEAD + "train = DataLoader(Rows(5))\nval = DataLoader(Rows(6))\n_hidden = train\n")
    assert error_of("a.py") == (
        "a.py has several targets: `train` (loader), `val` (loader); name one, as in `a.py:train`"
    )


def test_a_maker_that_needs_arguments_counts_when_they_are_given(write) -> None:
    """`-k` decides whether a maker can be called."""
    write(
        "a.py",
        "from torch.utils.data import DataLoader\ndef get_loader(split):\n    return DataLoader([1], 1)\n",
    )
    assert error_of("a.py") == (
        "a.py has no target that needs no arguments: `get_loader` (makes a loader, needs -k split=VALUE)"
    )
    assert resolve(TargetOptions("a.py", kwargs=("split=val",))).spec.loader_length == 1


def test_a_file_without_targets_says_so(write) -> None:
    """Imported loaders, private names and other functions are not the file's own targets."""
    write("a.py", HEAD + "loader = DataLoader(Rows(5))\n")
    write("b.py", "from a import loader, Rows\ndef collate(rows):\n    return rows\nSIZE = 3\n")
    assert error_of("b.py") == (
        "b.py has no loader or dataset at its top level, and no function whose name says that it makes one; "
        "name the target, as in `b.py:make_loader`"
    )


def test_candidates_are_listed_with_their_kind(write) -> None:
    """Annotations and names tell what a function makes."""
    path = write(
        "a.py",
        HEAD
        + "def training() -> DataLoader:\n    return DataLoader(Rows())\ndef build_dataset(split, *, size=1): ...\n"
        "loaders = {'train': DataLoader(Rows()), 'val': DataLoader(Rows())}\n",
    )
    assert [(c.name, c.kind, c.needs) for c in list_targets(path)] == [
        ("Rows", "makes a dataset", ()),
        ("training", "makes a loader", ()),
        ("build_dataset", "makes a dataset", ("split",)),
        ("loaders", "loader", ()),
    ]
