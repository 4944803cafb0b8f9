"""`dldoctor compare` of two saved reports, and of two targets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dldoctor.finding import Finding, Judgement, Level, SourceRef
from dldoctor.report import dumps, summarise

PLACE = SourceRef("data.py", 41, "collate")
ONE = Finding("DL105", "sample-failed", Level.ERROR, "3 of 240 samples raise", "Repair them.", PLACE)
TWO = Finding("DL113", "tail-batch-of-one", Level.RISK, "the last batch holds 1 sample", "Drop it.")
THREE = Finding("DL312", "padding-waste", Level.INFO, "33% of the positions are padding", "Sort by length.")

SHOWN = """\
  before   dry-run data.py:make_loader, 2026-01-01T00:00:00Z: 2 findings
  after    dry-run data.py:make_loader, 2026-01-01T00:00:00Z: 2 findings

Gone  1
  risk     DL113 tail-batch-of-one
           the last batch holds 1 sample

Worse  1
  warning  DL312 padding-waste (was info)
           41% of the positions are padding
           before: 33% of the positions are padding

New  1
  error    DL105 sample-failed  data.py:41 (collate)
           3 of 240 samples raise

1 new, 1 worse, 1 gone
"""


@pytest.fixture
def two(tmp_path: Path, make_report: Any) -> tuple[Path, Path]:
    worse = replace(THREE, level=Level.WARNING, message="41% of the positions are padding")
    paths = (tmp_path / "a.json", tmp_path / "b.json")
    for path, findings in zip(paths, ((TWO, THREE), (ONE, worse)), strict=True):
        checks = tuple(
            Judgement(one.rule, one.name, "finding" if one.rule in {f.rule for f in findings} else "clean")
            for one in (ONE, TWO, THREE)
        )
        path.write_bytes(
            dumps(replace(make_report(), findings=findings, checks=checks, summary=summarise(findings)))
        )
    return paths


def test_what_changed_is_shown_the_worst_last(dldoctor: Any, two: tuple[Path, Path]) -> None:
    """As in a report, what matters stands where the eye is."""
    outcome = dldoctor("compare", "a.json", "b.json")
    assert (outcome.out, outcome.err, outcome.status) == (SHOWN, "", 1)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("a.json", "a.json"), 0),
        (("b.json", "a.json"), 0),
        (("b.json", "a.json", "--fail-on", "risk"), 1),
        (("a.json", "b.json", "--fail-on", "never"), 0),
    ],
)
def test_the_status_is_that_of_what_came_up(
    dldoctor: Any, two: tuple[Path, Path], arguments: tuple[str, ...], status: int
) -> None:
    """What is the same, milder or gone fails nothing."""
    assert dldoctor("compare", *arguments).status == status


def test_files_hold_the_later_report_against_the_earlier(dldoctor: Any, two: tuple[Path, Path]) -> None:
    """In any format."""
    outcome = dldoctor("compare", "a.json", "b.json", "--quiet", "-o", "c.json")
    saved = json.loads((two[0].parent / "c.json").read_text())
    assert (outcome.out, [one["rule"] for one in saved["findings"]]) == ("", ["DL105", "DL312"])
    assert (saved["baseline"]["name"], [one["rule"] for one in saved["baseline"]["gone"]]) == (
        "a.json",
        ["DL113"],
    )


def test_reports_of_different_things_say_so(dldoctor: Any, tmp_path: Path, make_report: Any) -> None:
    """Before what is new, since that may be why."""
    (tmp_path / "a.json").write_bytes(dumps(make_report()))
    other = replace(make_report(target="data.py:other"), command="checkup", declared={"role": "train"})
    (tmp_path / "b.json").write_bytes(dumps(other))
    assert dldoctor("compare", "a.json", "b.json").out.splitlines()[2:] == [
        "  note     not of the same command and target and declarations, which may",
        "           explain differences",
        "",
        "no finding in either",
    ]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "data.py:make",
            (
                "`compare` takes two reports or two targets; `a.json` is a report and `data.py:make` a target "
                "(judge it first: `dldoctor checkup data.py:make -o NAME.json`)"
            ),
        ),
        ("c.json", "cannot read c.json: there is no such file"),
    ],
)
def test_what_is_no_report_is_refused(
    dldoctor: Any, two: tuple[Path, Path], argument: str, message: str
) -> None:
    """A target among them is told what to do."""
    outcome = dldoctor("compare", "a.json", argument)
    assert (outcome.status, outcome.err) == (2, f"dldoctor: {message}\n")


LOADERS = """
import torch
from torch.utils.data import DataLoader, TensorDataset

def loaders(scale=1.0):
    pixels = torch.rand(140, 3, 8, 8)
    return {
        "train": DataLoader(TensorDataset(pixels[:70]), batch_size=8, shuffle=True, drop_last=True),
        "val": DataLoader(TensorDataset(pixels[70:] * scale), batch_size=8, drop_last=True),
    }
"""


@pytest.mark.slow
def test_two_targets_are_held_against_each_other(dldoctor: Any, tmp_path: Path) -> None:
    """Side by side, with the command that repeats it."""
    (tmp_path / "data.py").write_text(LOADERS)
    target = "data.py:loaders"
    outcome = dldoctor("compare", target, target, "--loader-a", "train", "--loader-b", "val", "-o", "r.json")
    assert outcome.status == 1, outcome.err
    lines = outcome.out.splitlines()
    assert [line.split() for line in lines if line.startswith("  order ")] == [
        ["order", "shuffled", "in", "order", "differs"]
    ]
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["target"] == f"{target} --loader train {target} --loader val"
    (finding,) = report["findings"]
    assert finding["message"] == "the eval loader leaves out 6 of 70 items: `drop_last` with batches of 8"
    assert finding["reproduce"] == (
        "dldoctor compare data.py:loaders data.py:loaders --loader-a train --loader-b val --select DL220"
    )
    again = dldoctor("show", "r.json")
    assert "Side by side" in again.out


def test_what_holds_for_one_target_is_refused_for_two(dldoctor: Any) -> None:
    """The message names the options that say which."""
    outcome = dldoctor("compare", "a.py:x", "b.py:y", "--role", "train")
    assert (outcome.status, outcome.err) == (
        2,
        "dldoctor: `--role` is for one target; with two, give `--role-a` and `--role-b`\n",
    )
