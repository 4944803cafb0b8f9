"""Notebooks: which cells run, where their lines are, and what IPython alone understands."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dldoctor.errors import TargetError
from dldoctor.intent import TargetOptions
from dldoctor.targets import refuse_scripts, resolve
from dldoctor.targets.address import parse_address
from dldoctor.targets.notebook import code_up_to
from dldoctor.targets.source_ref import source_of

nbformat = pytest.importorskip("nbformat")

SETUP = "%matplotlib inline\n!ls\nimport torch\nfrom torch.utils.data import DataLoader, Dataset"
DATASET = (
    "class Waves(Dataset):\n    def __len__(self):\n        return 12\n\n"
    "    def __getitem__(self, i):\n        return torch.full((4,), float(i))"
)
LOADER = "loader = DataLoader(Waves(), batch_size=4)\nloader"
TRAINING = "for batch in loader:\n    batch.sum().backward()\nlast = 1"


def written(path: Path, *cells: str, markdown: str = "# Waves") -> Path:
    """A notebook as Jupyter writes it."""
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_markdown_cell(markdown),
        *(nbformat.v4.new_code_cell(cell) for cell in cells),
    ]
    # What it printed may look like source.
    book.cells[1]["outputs"] = [nbformat.v4.new_output("stream", text=cells[0])]
    nbformat.write(book, path)
    return path


def waves(folder: Path) -> Path:
    return written(folder / "waves.ipynb", SETUP, DATASET, LOADER, TRAINING)


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    yield
    for name in [name for name in sys.modules if name.endswith("_notebook")]:
        del sys.modules[name]


def test_the_cells_up_to_the_one_that_defines_the_name_are_run(tmp_path):
    """Training in a later cell does not happen, and is no reason to refuse."""
    path = waves(tmp_path)
    refuse_scripts(path, "loader")
    pipeline = resolve(TargetOptions(f"{path}:loader"))
    assert (pipeline.spec.dataset_length, pipeline.spec.batch_size) == (12, 4)
    assert [batch[:, 0].tolist() for batch in pipeline.loader][-1] == [8.0, 9.0, 10.0, 11.0]


def test_lines_are_those_of_the_file(tmp_path):
    """What is reported can be opened in an editor, and by who reads source through `inspect`."""
    import inspect

    path = waves(tmp_path)
    pipeline = resolve(TargetOptions(f"{path}:loader"))
    place = source_of(pipeline.dataset)
    assert place is not None
    assert (place.path, place.symbol) == (str(path), "Waves")
    assert path.read_text().splitlines()[place.line - 1].strip() == '"class Waves(Dataset):\\n",'
    assert inspect.getsource(type(pipeline.dataset)).startswith("class Waves(Dataset):\n    def __len__")


def test_a_name_that_is_defined_after_training_is_refused_with_the_line(tmp_path):
    """As a script would be; the line is that of the file."""
    path = waves(tmp_path)
    with pytest.raises(TargetError) as caught:
        refuse_scripts(path, "last")
    line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if "backward" in text)
    assert str(caught.value).startswith(
        f"{path}:{line} starts training (`batch.sum().backward()`) before `last` is defined"
    )


def test_the_last_definition_of_a_name_counts(tmp_path):
    """As after running all cells."""
    path = written(tmp_path / "twice.ipynb", "x = [1]", "x = [1, 2]", "y = 1")
    assert resolve(TargetOptions(f"{path}:x")).spec.dataset_length == 2
    assert "y = 1" not in code_up_to(path, "x")


def test_what_only_ipython_understands_is_left_out(tmp_path):
    """Magics in lines and of whole cells, shell commands, questions; a `%` of Python's stays."""
    path = written(
        tmp_path / "magic.ipynb",
        "%%time\nx = 7 % 4",
        "%%bash\nrm -rf data",
        "files = !ls\nif x:\n    %timeit x\nx?",
        "y = (x\n     % 2)",
    )
    code = [line for line in code_up_to(path, "y").splitlines() if line.strip()]
    assert code == ["x = 7 % 4", "pass", "if x:", "    pass", "pass", "y = (x", "     % 2)"]


def test_a_module_of_the_same_name_can_be_imported_in_it(tmp_path):
    """`train.ipynb` beside `train.py`."""
    (tmp_path / "beside.py").write_text("ROWS = [1, 2, 3]\n")
    path = written(tmp_path / "beside.ipynb", "from beside import ROWS\nrows = ROWS * 2")
    assert resolve(TargetOptions(f"{path}:rows")).spec.dataset_length == 6


def test_the_only_loader_needs_no_name(tmp_path):
    """Several names are listed instead."""
    assert resolve(TargetOptions(str(waves(tmp_path)))).spec.dataset_length == 12
    several = written(tmp_path / "two.ipynb", "train_loader = [1]\nval_loader = [2]")
    with pytest.raises(TargetError, match="`train_loader`, `val_loader`"):
        code_up_to(several, None)


def test_lines_are_counted_where_the_file_is_laid_out_otherwise(tmp_path):
    """A notebook that another program wrote in one line."""
    path = waves(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text())))
    assert resolve(TargetOptions(f"{path}:loader")).spec.dataset_length == 12
    assert code_up_to(path, "loader").splitlines()[5] == "class Waves(Dataset):"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "is not a notebook: Expecting value"),
        ('{"worksheets": []}', "is not a notebook of version 4"),
        ('{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}', "is a notebook of R, not of Python"),
        (
            '{"cells": [{"cell_type": "code", "source": "loaders = 1"}]}',
            "defines `loader`; did you mean `loaders`?",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, content, message):
    """Before anything is run."""
    path = tmp_path / "odd.ipynb"
    path.write_text(content)
    with pytest.raises(TargetError) as caught:
        code_up_to(path, "loader")
    assert message in str(caught.value)


def test_a_notebook_that_is_not_there_is_told_with_its_nearest(tmp_path):
    """Among notebooks, not among Python files."""
    waves(tmp_path)
    (tmp_path / "wave.py").write_text("")
    with pytest.raises(TargetError, match=r"did you mean `waves\.ipynb`"):
        parse_address(f"{tmp_path}/wave.ipynb:loader")
