"""The command line lies over the config file, and one job comes of each target."""

from __future__ import annotations

from pathlib import Path

import pytest

from dldoctor.cli.jobs import Job, plan
from dldoctor.cli.options import RunOptions
from dldoctor.cli.options.intent import IntentGroup
from dldoctor.cli.options.limits import LimitGroup
from dldoctor.cli.options.output import OutputGroup
from dldoctor.cli.options.rules import RuleGroup
from dldoctor.cli.options.target import TargetGroup
from dldoctor.errors import ConfigError
from dldoctor.intent import Intent, Limits, LoaderOptions, TargetOptions
from dldoctor.request import Request

CONFIG = """
[tool.dldoctor]
fail-on = "warning"
ignore = ["DL215"]
batches = 50

[tool.dldoctor.targets.train]
target = "data.py:make_loader"
kwargs = {split = "train", size = 224}
role = "train"
pad-id = 0
budgets = {padding = 0.3, samples-per-s = 500}

[tool.dldoctor.targets.eval]
target = "pkg.data:loaders"
loader = "eval"
role = "eval"
"""


def options(
    target: TargetGroup = TargetGroup(),
    intent: IntentGroup = IntentGroup(),
    limits: LimitGroup = LimitGroup(),
    rules: RuleGroup = RuleGroup(),
) -> RunOptions:
    return RunOptions(target, intent, limits, rules, OutputGroup())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_named_target_is_what_the_file_says(folder: Path) -> None:
    """Its own keys lie over those at the top."""
    assert plan("dry-run", "train", options()) == (
        Job(
            "train",
            Request(
                command="dry-run",
                target=TargetOptions("data.py:make_loader", kwargs=("split='train'", "size=224")),
                intent=Intent(role="train", pad_id=0, budgets={"padding": 0.3, "samples-per-s": 500.0}),
                limits=Limits(batches=50),
                ignore=("DL215",),
            ),
            fail_on="warning",
        ),
    )


def test_the_command_line_wins(folder: Path) -> None:
    """Option by option; arguments, fields and budgets by their key."""
    given = options(
        TargetGroup(kwargs=["size=96"], batch_size=4, python="/opt/python"),
        IntentGroup(role="eval", budget=[("padding", 0.5)], field=[("sample_id", "meta.id")]),
        LimitGroup(batches=3, seed=0),
        RuleGroup(select=["DL1,DL201"], fail_on="never"),
    )
    assert plan("dry-run", "train", given) == (
        Job(
            "train",
            Request(
                command="dry-run",
                target=TargetOptions(
                    "data.py:make_loader",
                    kwargs=("split='train'", "size=96"),
                    loader=LoaderOptions(batch_size=4),
                ),
                intent=Intent(
                    role="eval",
                    pad_id=0,
                    fields={"sample_id": "meta.id"},
                    budgets={"padding": 0.5, "samples-per-s": 500.0},
                ),
                limits=Limits(batches=3, seed=0),
                python="/opt/python",
                select=("DL1", "DL201"),
                ignore=("DL215",),
            ),
            fail_on="never",
        ),
    )


def test_without_a_target_all_of_the_file_are_meant(folder: Path) -> None:
    """In the order of the file."""
    jobs = plan("dry-run", None, options())
    assert [(job.name, job.request.target.spec, job.request.target.loader_key) for job in jobs] == [
        ("train", "data.py:make_loader", None),
        ("eval", "pkg.data:loaders", "eval"),
    ]


def test_a_target_that_is_written_out_takes_the_top_of_the_file(folder: Path) -> None:
    """What stands under a name is that target's alone."""
    (job,) = plan("dry-run", "other.py:thing", options())
    assert job == Job(
        "other-thing",
        Request("dry-run", TargetOptions("other.py:thing"), limits=Limits(batches=50), ignore=("DL215",)),
        fail_on="warning",
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trian", "no file and no named target `trian`; did you mean `train`?"),
        ("zzz", "no file and no named target `zzz`; {path} names train, eval"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(folder: Path, name: str, message: str) -> None:
    """Or which names there are."""
    with pytest.raises(ConfigError) as error:
        plan("dry-run", name, options())
    assert str(error.value) == message.format(path=folder / "pyproject.toml")


def test_a_rule_that_is_not_known_here_may_be_ignored(folder: Path) -> None:
    """A config file is shared by people with several versions; a misspelt name is still refused."""
    plan("dry-run", "train", options(rules=RuleGroup(ignore=["DL715", "DL7"])))
    with pytest.raises(ConfigError, match=r"no rule `tail-batch`; did you mean `tail-batch-of-one`\?"):
        plan("dry-run", "train", options(rules=RuleGroup(ignore=["tail-batch"])))
