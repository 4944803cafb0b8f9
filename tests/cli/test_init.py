"""`dldoctor init` writes a config that loads, and overwrites nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dldoctor.config import load

SOURCE = """
from torch.utils.data import DataLoader
from trl import SFTTrainer
def make_train_loader():
    return DataLoader([1])
def loaders(root):
    return {"val": DataLoader([root])}
def main():
    SFTTrainer(make_train_loader())
"""
WRITTEN = """\
# Written by `dldoctor init` from the source alone: nothing was imported or run.
# What is called a guess was said by nobody: check it, since a wrong one gives wrong findings.

fail-on = "error"

[targets.train]
target = "pkg/data.py:make_train_loader"  # line 4, returns a DataLoader
role = "train"  # a guess, from the name `make_train_loader`
task = "sft"  # a guess, from `SFTTrainer` in line 9

# To use it, fill in its arguments and take the `# ` away.
# [targets.val]
# target = "pkg/data.py:loaders"  # line 6, returns 1 loaders
# kwargs = {root = ...}  # it has no default
# loader = "val"
# role = "eval"  # a guess, from the name `val`
# task = "sft"  # a guess, from `SFTTrainer` in line 9
"""


def project(folder: Path) -> None:
    (folder / "pkg").mkdir()
    (folder / "pkg" / "data.py").write_text(SOURCE)


def test_a_first_config_is_written_and_loads(dldoctor: Any, tmp_path: Path) -> None:
    """Guesses say that they are; what cannot be judged yet is a comment that becomes valid when filled in."""
    project(tmp_path)
    outcome = dldoctor("init")
    text = (tmp_path / "dldoctor.toml").read_text()
    assert (outcome.status, outcome.out, text) == (0, "", WRITTEN.replace("1 loaders", "1 loader"))
    assert outcome.err == (
        "dldoctor: wrote dldoctor.toml: 1 target from 1 file, 1 more as comments, to be filled in, 4 guesses to check\n"
    )
    (train,) = load(folder=tmp_path).targets
    assert (train.spec, train.settings.intent.role, train.settings.intent.task) == (
        "pkg/data.py:make_train_loader", "train", "sft",
    )  # fmt: skip
    block = text.partition("# To use it, fill in its arguments and take the `# ` away.\n")[2]
    filled = "".join(line.removeprefix("# ") for line in block.splitlines(keepends=True)).replace(
        "...", "'a'"
    )
    (tmp_path / "dldoctor.toml").write_text(filled)
    (val,) = load(folder=tmp_path).targets
    assert (val.kwargs, val.loader_key, val.settings.intent.role) == (("root='a'",), "val", "eval")


def test_nothing_is_overwritten(dldoctor: Any, tmp_path: Path) -> None:
    """Neither a config that holds already, nor a file that was named."""
    project(tmp_path)
    (tmp_path / "x.toml").write_text("mine")
    assert (dldoctor("init", "-o", "x.toml").status, (tmp_path / "x.toml").read_text()) == (2, "mine")
    (tmp_path / "dldoctor.toml").write_text("seed = 1")
    outcome = dldoctor("init")
    assert (outcome.status, outcome.err) == (
        2,
        "dldoctor: dldoctor.toml is a config already; `-o PATH` writes another file\n",
    )
    assert (tmp_path / "dldoctor.toml").read_text() == "seed = 1"


def test_beside_a_pyproject_the_lines_are_printed(dldoctor: Any, tmp_path: Path) -> None:
    """Appended to it they are its config; the file itself stays as it is."""
    project(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    outcome = dldoctor("init")
    assert (outcome.status, (tmp_path / "pyproject.toml").read_text()) == (0, '[project]\nname = "x"\n')
    assert outcome.err.endswith("; add the lines to pyproject.toml\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n' + outcome.out)
    assert [one.name for one in load(folder=tmp_path).targets] == ["train"]


def test_paths_are_relative_to_the_file_that_names_them(dldoctor: Any, tmp_path: Path) -> None:
    """A config in another folder means the same files."""
    project(tmp_path)
    (tmp_path / "conf").mkdir()
    assert dldoctor("init", "-o", "conf/d.toml").status == 0
    (train,) = load(tmp_path / "conf" / "d.toml", folder=tmp_path).targets
    assert (tmp_path / train.spec.partition(":")[0]).resolve() == tmp_path / "pkg" / "data.py"


def test_a_project_without_a_loader_is_told_what_would_be_found(dldoctor: Any, tmp_path: Path) -> None:
    """No empty config is written."""
    (tmp_path / "t.py").write_text("from torch.utils.data import DataLoader\nif 1:\n    DataLoader([])\n")
    outcome = dldoctor("init")
    message = (
        "dldoctor: no name of the 1 Python file here is a loader, or returns one, but a loader is made in t.py:3; put "
        "that into a function that returns it\n"
    )
    assert (outcome.status, outcome.err) == (2, message)
    assert list(tmp_path.iterdir()) == [tmp_path / "t.py"]
