"""The line that fills a container is found by the name under which it is reached."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from dldoctor.probes.memory.containers import Roots
from dldoctor.probes.memory.put_lines import where_put

SOURCE = """
import functools
SEEN = []

class Base:
    def __init__(self):
        self.hist, self.log, self.stats, self.either = {}, [], {"ids": []}, []
        for i in range(3):
            self.log.append(i)
        self.cached = functools.lru_cache(None)(self._crop)

    def _crop(self, index):
        return index

    def __getitem__(self, i):
        self.hist[i] = i
        self.log += [i]
        self.stats["ids"].append(i)
        SEEN.append(i)
        self.either.append(i)
        if i > 3:
            self.either.append(i + 1)
        return i

class Data(Base):
    pass

def collate_with():
    rows = []
    def collate(batch):
        rows.extend(batch)
        return batch
    return collate
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    file = tmp_path / "fills.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("fills", file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fills", made)
    spec.loader.exec_module(made)
    monkeypatch.setattr("dldoctor.probes.memory.put_lines.user_modules", lambda: iter([("fills", made)]))
    return made


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("dataset.hist", "self.hist[i] = i"),
        ("dataset.log", "self.log += [i]"),
        ("dataset.stats['ids']", 'self.stats["ids"].append(i)'),
        ("fills.SEEN", "SEEN.append(i)"),
        ("collate_fn.<rows>", "rows.extend(batch)"),
        ("dataset.cached", "def _crop(self, index):"),
        ("dataset.either", None),
        ("dataset.nothing", None),
        ("elsewhere.SEEN", None),
    ],
)
def test_one_line_that_fills_is_found(module: Any, path: str, text: str | None) -> None:
    """By assignment to a key, `+=`, or a method that adds; of two lines none can be told."""
    found = where_put(path, Roots(module.Data(), module.collate_with()), {})
    line = None if found is None or found.line is None else SOURCE.splitlines()[found.line - 1].strip()
    assert line == text


def test_of_two_lines_that_which_keeps_more_is_it(module: Any) -> None:
    """As tracemalloc saw it."""
    lines = SOURCE.splitlines()
    last = lines.index("            self.either.append(i + 1)") + 1
    roots = Roots(module.Data(), None)
    kept = {(module.__file__, last): 4000, (module.__file__, last - 2): 100}
    found = where_put("dataset.either", roots, kept)
    assert found is not None
    assert (found.line, found.symbol) == (last, "__getitem__")
    assert found.path.endswith("fills.py")
