"""The command that shows a finding again."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from dldoctor.cli.options.intent import IntentGroup
from dldoctor.finding import Finding, Level, StreamPosition
from dldoctor.intent import Intent, Limits, LoaderOptions, TargetOptions
from dldoctor.reproduce import arguments_of, command_line


def finding(*samples: Any, name: str = "non-finite") -> Finding:
    return Finding("DL201", name, Level.ERROR, "a fact", "a step", None, samples)


def test_it_names_the_samples_and_the_rule():
    """Indices alone: a stream has none that could be asked for."""
    target = TargetOptions("data.py:make", kwargs=("split='my train'",), loader_key="train")
    line = command_line("dry-run", finding(3, 17), target, Intent(), Limits())
    assert line == (
        "dldoctor dry-run data.py:make -k 'split='\"'\"'my train'\"'\"'' --loader train --ids 3,17 --select DL201"
    )
    stream = command_line(
        "dry-run", finding(StreamPosition(0, 4)), TargetOptions("a.py:b"), Intent(), Limits()
    )
    assert stream == "dldoctor dry-run a.py:b --select DL201"


def test_it_has_the_settings_and_what_was_declared():
    """Without them the rule might judge otherwise; budgets only where one was missed."""
    target = TargetOptions("a.py:b", loader=LoaderOptions(batch_size=4, shuffle=False))
    intent = Intent(
        role="train", pad_id=0, completion_only=True, image_token_id=(-200, 5), step_ms=20.0,
        fields={"sample_id": "meta.id"}, budgets={"padding": 0.3},
    )  # fmt: skip
    line = command_line("check-labels", finding(), target, intent, Limits(ranks=2))
    assert shlex.split(line)[3:] == [
        "--batch-size", "4", "--no-shuffle", "--role", "train", "--pad-id", "0", "--completion-only",
        "--image-token-id=-200", "--image-token-id", "5", "--step-ms", "20", "--field", "sample_id=meta.id",
        "--select", "DL201",
    ]  # fmt: skip
    missed = command_line("checkup", finding(name="budget-missed"), target, intent, Limits())
    assert "--budget padding=0.3" in missed
    assert "--ranks 2" in command_line("check-sharding", finding(), target, Intent(), Limits(ranks=2))


def test_every_declaration_is_an_option_of_the_same_name():
    """What is declared can be written on the command line."""
    options = {option.name for option in fields(IntentGroup)}
    assert {one.name for one in fields(Intent)} - {"fields", "budgets"} <= options


def test_a_live_object_has_none():
    """No command line can name it."""
    assert command_line("checkup", finding(3), TargetOptions("<DataLoader>"), Intent(), Limits()) == ""


def test_arguments_tell_two_loaders_of_one_target_apart():
    """As the command line has them."""
    target = TargetOptions("data.py:make", kwargs=("split='a b'",), loader_key="val")
    assert shlex.split(arguments_of(target)) == ["-k", "split='a b'", "--loader", "val"]
    assert arguments_of(TargetOptions("data.py:make")) == ""
