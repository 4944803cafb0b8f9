"""What the source of a project says about its loaders, without importing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dldoctor.first_config.entries import look
from dldoctor.first_config.guesses import role_of

HEAD = """
from torch.utils.data import DataLoader as DL, Dataset
import torch.utils.data as data
class D(Dataset):
    def __init__(self, root): ...
"""


def seen(folder: Path, source: str, name: str = "data.py") -> list[tuple[object, ...]]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + source)
    return [
        (one.name, one.target.name, one.loader_key, one.target.why, one.target.missing)
        for one in look(folder).entries
    ]


KINDS = {
    "x = DL([1])": ("x", "x", None, "is a DataLoader", ()),
    "x = data.DataLoader([1])": ("x", "x", None, "is a DataLoader", ()),
    "def get(a, *, b, c=1):\n    return data.DataLoader([a])": (
        "get", "get", None, "returns a DataLoader", ("a", "b"),
    ),
    "def val_loader():\n    if x:\n        found = DL([1])\n        return found": (
        "val", "val_loader", None, "returns a DataLoader", (),
    ),
    "def made() -> 'DL[int]':\n    return other()": ("made", "made", None, "returns a DataLoader", ()),
    "def _inner():\n    return DL([1])\ndef outer():\n    return _inner()": (
        "outer", "outer", None, "returns a DataLoader", (),
    ),
    "class L(DL):\n    def __init__(self): ...": ("L", "L", None, "is a kind of DataLoader", ()),
    "import lightning as L\nclass M(L.LightningDataModule): ...": (
        "M", "M", None, "is a kind of LightningDataModule", (),
    ),
    "from transformers import Trainer\ndef make_trainer():\n    return Trainer(1)": (
        "trainer", "make_trainer", None, "returns a Trainer", (),
    ),
}  # fmt: skip


@pytest.mark.parametrize("source", KINDS)
def test_loaders_are_found_by_what_the_source_makes(tmp_path: Path, source: str) -> None:
    """By class, annotation, or what is returned, aliases and calls of the same file followed."""
    assert seen(tmp_path, source) == [KINDS[source]]


@pytest.mark.parametrize(
    "source",
    [
        "def make():\n    def inner():\n        return DL([1])\n    return 3",
        "def loader_of_files():\n    return open('x')",
        "def _private():\n    return DL([1])",
        "def a():\n    return b()\ndef b():\n    return a()",
        "class L(DL): ...",  # its constructor needs what only the caller knows
        "from lightning import Trainer\nt = Trainer()",  # it is given its loaders
    ],
)
def test_names_that_are_no_target_are_left_out(tmp_path: Path, source: str) -> None:
    """A name alone is no proof; only what is made counts. The dataset is all that is left."""
    assert seen(tmp_path, source) == [("D", "D", None, "is a kind of Dataset", ("root",))]


def test_several_loaders_become_a_target_each(tmp_path: Path) -> None:
    """From a dict by its keys, from a tuple by its places."""
    found = seen(
        tmp_path,
        "def both():\n    train_dl = DL([1])\n    test_dl = DL([1])\n    return train_dl, test_dl\n"
        "loaders = {'val': DL([1]), 'size': 3}\n"
        "def make_loaders():\n    return DL([1]), DL([2])\n",
    )
    assert [one[:3] for one in found] == [
        ("train_dl", "both", "0"),
        ("test_dl", "both", "1"),
        ("val", "loaders", "val"),
        ("data-0", "make_loaders", "0"),
        ("data-1", "make_loaders", "1"),
    ]


def test_names_are_given_once(tmp_path: Path) -> None:
    """Those that can be judged at once choose first; others take their file or folder before it."""
    seen(tmp_path, "def train_loader(root):\n    return DL([root])", "a.py")
    seen(tmp_path, "def train_loader():\n    return DL([1])", "b/b.py")
    found = seen(tmp_path, "def make_train_loader():\n    return DL([1])", "b/c.py")
    assert [one[0] for one in found] == ["a-train", "train", "c-train"]


def test_tests_environments_and_hidden_folders_are_not_read(tmp_path: Path) -> None:
    """They hold loaders that are not the project's pipeline."""
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    for name in ("env/a.py", ".cache/a.py", "tests/a.py", "test_a.py", "build/lib/a.py", "a_test.py"):
        assert seen(tmp_path, "x = DL([1])", name) == []
    (tmp_path / "broken.py").write_text("def (  # a DataLoader")
    (tmp_path / "other.py").write_text("x = 3")
    found = look(tmp_path)
    assert (found.files, found.unread) == (2, (tmp_path / "broken.py",))


def test_what_trains_on_import_is_refused_with_its_line(tmp_path: Path) -> None:
    """It is named, but cannot be a target as it stands."""
    seen(tmp_path, "x = DL([1])\nfor batch in x: batch.backward()")
    (entry,) = look(tmp_path).entries
    assert (entry.is_ready, ":7 starts training" in str(entry.refused)) == (False, True)


def test_a_loader_inside_a_function_is_named_where_nothing_else_is_found(tmp_path: Path) -> None:
    """So that its owner knows what to do."""
    (tmp_path / "train.py").write_text(
        "from torch.utils.data import DataLoader\ndef main():\n    l = DataLoader([])\n"
    )
    assert look(tmp_path).inner == ("train.py:3",)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("make_train_loader", "train"), ("valLoader", "eval"), ("TestSet", "eval"), ("dev_dl", "eval"),
        ("predict_loader", "generate"), ("constrained", None), ("latest", None), ("train_val_split", None),
    ],
)  # fmt: skip
def test_roles_are_guessed_by_whole_words(name: str, role: str | None) -> None:
    """And not where one name says two."""
    guess = role_of(name)
    assert (guess.value if guess else None) == role


@pytest.mark.parametrize(
    ("source", "task"),
    [
        ("from trl import SFTTrainer as T\nT(1)", "sft"),
        ("transformers.DataCollatorForLanguageModeling(t, mlm=False)", "pretrain"),
        ("DataCollatorForLanguageModeling(t)", "mlm"),
        ("AutoModelForCTC.from_pretrained('x')", "asr"),
        ("DataCollatorForLanguageModeling(t, mlm=flag)", None),
        ("SFTTrainer(1)\nDPOTrainer(1)", None),
    ],
)
def test_tasks_are_guessed_by_calls_of_the_file(tmp_path: Path, source: str, task: str | None) -> None:
    """Two tasks in a file are no guess, but both are named."""
    seen(tmp_path, f"x = DL([1])\ndef main():\n    {source.splitlines()[0]}\n    {source.splitlines()[-1]}\n")
    (entry,) = look(tmp_path).entries
    assert (entry.guesses["task"].value if "task" in entry.guesses else None) == task
    assert [hint.value for hint in entry.hints] == (["sft", "preference"] if "DPO" in source else [])


def test_the_task_of_another_file_is_a_hint(tmp_path: Path) -> None:
    """Where the project has one task, and the file of the loader none."""
    seen(tmp_path, "x = DL([1])")
    (tmp_path / "train.py").write_text("from trl import SFTTrainer\nSFTTrainer(1)\n")
    (entry,) = look(tmp_path).entries
    assert ("task" in entry.guesses, [(hint.value, hint.why) for hint in entry.hints]) == (
        False,
        [("sft", "`SFTTrainer` in line 2 of train.py")],
    )
    (tmp_path / "other.py").write_text("DPOTrainer(1)")
    assert look(tmp_path).entries[0].hints == ()


def test_a_tokenizer_at_the_top_of_the_file_is_guessed(tmp_path: Path) -> None:
    """The import binds it anyway; of two, none."""
    line = "from transformers import AutoTokenizer\nt = AutoTokenizer.from_pretrained('x')\n"
    seen(tmp_path, f"{line}x = DL([1])")
    assert look(tmp_path).entries[0].guesses["tokenizer"].value == "t"
    seen(tmp_path, f"{line}{line.replace('t =', 'u =')}x = DL([1])")
    assert "tokenizer" not in look(tmp_path).entries[0].guesses
