"""Every check is listed, named, documented, proven by a planted bug, and has its page."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

from dldoctor import rules
from dldoctor.checks import CHECKS, Check
from dldoctor.evidence import Evidence

ROOT = Path(__file__).parent.parent
HEADINGS = ["Why it hurts", "What to do", "When it is wrong"]
EVERY = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.rule)


def _spelled(check: Check) -> str:
    return check.name.replace("-", "_")


def test_every_check_that_is_written_is_listed() -> None:
    """A check in the folder that `CHECKS` leaves out would never run."""
    written = set()
    for path in (ROOT / "dldoctor" / "checks").glob("*.py"):
        module = importlib.import_module(
            f"dldoctor.checks.{path.stem}" if path.stem != "__init__" else "dldoctor.checks"
        )
        written |= {
            name
            for name, item in vars(module).items()
            if inspect.isclass(item) and issubclass(item, Check) and item is not Check
            and item.__module__ == module.__name__
        }  # fmt: skip
    assert written == {type(check).__name__ for check in CHECKS}


def test_numbers_are_unique_and_in_order() -> None:
    """The tuple reads like the catalogue."""
    numbers = [check.rule for check in CHECKS]
    assert numbers == sorted(set(numbers))
    assert len({check.name for check in CHECKS}) == len(CHECKS)


@EVERY
def test_class_file_and_name_are_spelled_alike(check: Check) -> None:
    """One name, three spellings: `TailBatchOfOne`, `tail_batch_of_one.py`, `tail-batch-of-one`."""
    module = inspect.getmodule(type(check))
    assert module is not None
    assert re.fullmatch(r"DL\d{3}", check.rule)
    assert type(check).__name__ == "".join(word.capitalize() for word in check.name.split("-"))
    assert module.__name__ == f"dldoctor.checks.{_spelled(check)}"
    assert (module.__doc__ or "").splitlines()[0] == f"{check.rule} {check.name}."


@EVERY
def test_is_documented(check: Check) -> None:
    """A first line, the three headings in order, text under each, and a docstring under each setting."""
    text = inspect.getdoc(type(check)) or ""
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    assert [section.partition("\n")[0] for section in sections[1:]] == HEADINGS
    assert sections[0].count("\n\n") == 1
    assert sections[0].strip().endswith(".")
    assert [section for section in sections[1:] if not section.partition("\n")[2].strip()] == []
    assert [name for name, _, meaning in rules.settings(check) if not meaning] == []


@EVERY
def test_needs_branches_of_evidence_that_exist(check: Check) -> None:
    """`needs` names fields of `Evidence`."""
    assert set(check.needs) <= set(Evidence.__dataclass_fields__)


@EVERY
def test_is_planted_in_the_zoo(check: Check) -> None:
    """There is a module with the bug and its clean twin."""
    path = ROOT / "tests" / "zoo" / f"{_spelled(check)}.py"
    assert path.is_file()
    source = path.read_text(encoding="utf-8")
    assert re.search(r"^def broken\w*\(", source, re.MULTILINE)
    assert re.search(r"^def fixed\w*\(|^def healthy_\w+\(", source, re.MULTILINE)


def test_nothing_in_the_zoo_is_without_a_rule() -> None:
    """Every planted bug belongs to a rule that is judged."""
    planted = {path.stem for path in (ROOT / "tests" / "zoo").glob("*.py") if not path.stem.startswith("_")}
    assert planted - {_spelled(check) for check in CHECKS} <= {"conftest"}


@EVERY
def test_its_page_is_in_the_docs(check: Check) -> None:
    """`dldoctor explain` and docs/rules say the same."""
    page = ROOT / "docs" / "rules" / f"{check.name}.md"
    assert page.read_text(encoding="utf-8").startswith(rules.page(check))
