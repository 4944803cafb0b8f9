"""Files and modules are imported as ``python file.py`` would, under a name that workers find."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dldoctor.errors import TargetError
from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.targets import resolve
from dldoctor.targets.importing import import_file

REPOSITORY = Path(__file__).resolve().parents[2]
LOADER = """
import sys
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return torch.tensor(i)

def make_loader():
    return DataLoader(Rows(), batch_size=2)
"""
READ_IN_SPAWNED_WORKERS = """
import json, sys
from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.targets import resolve

if __name__ == "__main__":
    workers = LoaderOptions(num_workers=1, start_method="spawn")
    pipeline = resolve(TargetOptions(sys.argv[1], loader=workers))
    batches = [batch.tolist() for batch in pipeline.loader]
    print(json.dumps([pipeline.spec.dataset_type, pipeline.spec.start_method, batches]))
"""


def read_in_spawned_workers(tmp_path: Path, spec: str, cwd: Path) -> list[object]:
    script = tmp_path / "parent.py"
    script.write_text(READ_IN_SPAWNED_WORKERS)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    run = subprocess.run(
        [sys.executable, str(script), spec],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def error_of(spec: str, **options) -> str:
    with pytest.raises(TargetError) as caught:
        resolve(TargetOptions(spec, **options))
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "module"), [("rows.py", "rows"), ("my rows.py", "my rows"), ("types.py", "project.types")]
)
def test_spawned_workers_find_the_classes_of_a_file(write, tmp_path: Path, name: str, module: str) -> None:
    """A class of a file target is unpickled in a fresh interpreter, odd and taken names included."""
    path = write(name, LOADER)
    found = read_in_spawned_workers(tmp_path, f"{path}:make_loader", tmp_path)
    assert found == [f"{module}.Rows", "spawn", [[0, 1], [2, 3]]]


@pytest.mark.slow
def test_a_file_in_a_package_is_imported_as_a_part_of_it(write, tmp_path: Path) -> None:
    """Relative imports work, and spawned workers find the module in its package."""
    write("pkg/__init__.py", "")
    write("pkg/sub/__init__.py", "")
    write("pkg/sizes.py", "ROWS = 4\n")
    text = LOADER.replace("import sys\n", "from ..sizes import ROWS\n").replace("return 4", "return ROWS")
    path = write("pkg/sub/data.py", text)
    found = read_in_spawned_workers(tmp_path, f"{path}:make_loader", tmp_path)
    assert found == ["pkg.sub.data.Rows", "spawn", [[0, 1], [2, 3]]]


def test_a_file_that_is_named_like_an_installed_module_wins_for_itself(
    write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`datasets.py` of the user's is imported, whatever is installed under that name."""
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "fishes.py").write_text("installed = True\n")
    monkeypatch.syspath_prepend(str(installed))
    write("fishes.py", LOADER)
    pipeline = resolve(TargetOptions("fishes.py:make_loader"))
    assert (pipeline.spec.dataset_type, str(pipeline.spec.dataset_ref)) == (
        "fishes.Rows",
        "fishes.py:6 (Rows)",
    )


def test_a_file_that_is_named_like_a_loaded_module_does_not_replace_it(write) -> None:
    """The standard module stays what it is for everyone else."""
    import statistics

    path = write("statistics.py", LOADER)
    module = import_file(path)
    assert (module.__name__, sys.modules["statistics"]) == ("project.statistics", statistics)


def test_importing_twice_gives_the_same_module(write) -> None:
    """A collate from the target's own file sees the target's own module."""
    path = write("statistics.py", LOADER)
    assert import_file(path) is import_file(path)


def test_the_surroundings_are_those_of_running_the_file(write, tmp_path: Path, monkeypatch) -> None:
    """The file's folder comes first on the path, `sys.argv` has the file, and neighbours are found."""
    write("sizes.py", "ROWS = 4\n")
    path = write(
        "data.py", LOADER.replace("import sys\n", "import sys, sizes\nSEEN = list(sys.argv), sys.path[0]\n")
    )
    monkeypatch.chdir(tmp_path)
    resolve(TargetOptions("project/data.py:make_loader"))
    assert sys.modules["data"].SEEN == ([str(path)], str(path.parent))


def test_guarded_code_is_not_run(write) -> None:
    """The module is not named `__main__`."""
    write("data.py", LOADER + '\nif __name__ == "__main__":\n    raise SystemExit("ran")\n')
    assert resolve(TargetOptions("data.py:make_loader")).spec.loader_length == 2


def test_a_module_target_is_found_from_the_working_directory(write) -> None:
    """`package.module:name` is imported by name, the working directory included."""
    write("pkg/data.py", LOADER)
    assert resolve(TargetOptions("pkg.data:make_loader")).spec.dataset_type == "pkg.data.Rows"


def test_dotted_names_reach_into_classes_and_dicts(write) -> None:
    """`data.py:Config.loader` follows attributes and keys."""
    write("data.py", LOADER + "\nclass Config:\n    loaders = {'train': make_loader()}\n")
    assert resolve(TargetOptions("data.py:Config.loaders.train")).spec.loader_length == 2
    assert error_of("data.py:Config.loadrs.train") == "no `loadrs` in data.py:Config; did you mean `loaders`?"
    assert (
        error_of("data.py:Config.loaders.tran")
        == "no `tran` in data.py:Config.loaders; did you mean `train`?"
    )


def test_what_is_not_found_names_the_nearest(write) -> None:
    """File, module and name each offer the nearest match."""
    write("data.py", LOADER)
    write("pkg/__init__.py", "")
    write("pkg/reading.py", LOADER)
    assert {
        spec: error_of(spec) for spec in ("data.py:make_loadr", "dta.py:x", "dta:x", "pkg.raeding:x")
    } == {
        "data.py:make_loadr": "no `make_loadr` in data.py; did you mean `make_loader`?",
        "dta.py:x": "no file `dta.py`; did you mean `data.py`?",
        "dta:x": "no module `dta`; did you mean `data`?",
        "pkg.raeding:x": "no module `pkg.raeding`; did you mean `pkg.reading`?",
    }


def test_a_name_after_a_dot_instead_of_a_colon_is_put_right(write) -> None:
    """`data.make_loader` is answered with the form that works."""
    write("data.py", LOADER)
    assert error_of("data.make_loader") == "no module `data.make_loader`; write `data:make_loader`"


def test_a_spec_that_cannot_be_read_says_what_to_write(write) -> None:
    """Folders, other files, notebooks and nonsense are told apart."""
    write("sub/data.py", "")
    write("notes.txt", "")
    assert {
        spec: error_of(spec) for spec in ("sub", "sub/", "notes.txt", "a b", "data.py:1x", "n.ipynb:x", ":x")
    } == {
        "sub": "sub has no loader or dataset at its top level, and no function whose name says that it makes "
        "one; name the target, as in `sub:make_loader`",
        "sub/": "`sub/` is a folder, not a Python file; name one of its files: data.py",
        "notes.txt": "`notes.txt` is not a Python file (its name does not end in `.py` or `.ipynb`)",
        "a b": "`a b` is neither a Python file nor a module name; write `path/to/file.py:name` or "
        "`package.module:name`",
        "data.py:1x": "`1x` in `data.py:1x` is not a Python name",
        "n.ipynb:x": "no file `n.ipynb`",
        ":x": "`:x` names no file; write `path/to/file.py:name` or `package.module:name`",
    }


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nothing_of_this_name", "raised ModuleNotFoundError: No module named 'nothing_of_this_name', at data.py:1"),
        ("def f():\n    return 1 / 0\nf()", "raised ZeroDivisionError: division by zero, at data.py:2 (f)"),
        ("import json\njson.loads('')", "raised JSONDecodeError: Expecting value: line 1 column 1 (char 0), at data.py:2"),
        ("x = 1\nx = (", "raised SyntaxError: '(' was never closed (data.py, line 2), at data.py:2"),
        ("raise SystemExit(3)", "ended the process with `sys.exit(3)`, at data.py:1"),
        ("raise ValueError('one\\ntwo')", "raised ValueError: one, at data.py:1"),
    ],
)  # fmt: skip
def test_an_import_that_raises_names_the_innermost_frame_of_the_user(
    write, source: str, message: str
) -> None:
    """Type, text and place of the exception stand in one sentence."""
    write("data.py", source)
    assert error_of("data.py:x") == f"importing data.py {message}"


def test_an_interrupt_passes_through(write) -> None:
    """Ctrl-C during an import is the user's wish, not a fault."""
    write("data.py", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        resolve(TargetOptions("data.py:x"))


def test_a_script_is_refused_unless_allowed(write) -> None:
    """`--allow-script` imports what would be refused."""
    write("data.py", "import argparse\nargs = argparse.ArgumentParser().parse_args()\n" + LOADER)
    assert error_of("data.py:make_loader").startswith("data.py:2 parses arguments")
    assert error_of("data:make_loader").startswith("data.py:2 parses arguments")
    assert resolve(TargetOptions("data.py:make_loader", allow_script=True)).spec.loader_length == 2


def test_an_option_beside_the_target_leaves_its_surroundings(write) -> None:
    """`--collate` of another folder is found, after the target's folder and without changing `sys.argv`."""
    path = write("data.py", LOADER)
    write("other/data.py", "def collate(rows):\n    return len(rows)\n")
    options = LoaderOptions(collate="other/data.py:collate")
    pipeline = resolve(TargetOptions("data.py:make_loader", loader=options))
    assert list(pipeline.loader) == [2, 2]
    assert (sys.argv, sys.path[0]) == ([str(path)], str(path.parent))
