"""A checkup is every command that there is, in one run."""

from __future__ import annotations

from dldoctor.checks import CHECKS
from dldoctor.commands import (
    CHECKUP,
    COMMANDS,
    LAST,
    SHARES,
    checks_of,
    command_of,
    owner_of,
    probe_of,
    shares_of,
)
from dldoctor.rules import chosen


def test_a_checkup_has_the_probes_of_all_commands_once():
    """A new command is part of it without being named."""
    assert sorted(CHECKUP.probes) == sorted({probe for one in COMMANDS.values() for probe in one.probes})
    assert set(CHECKUP.branches) == {branch for one in COMMANDS.values() for branch in one.branches}


def test_what_decides_most_comes_first_and_what_costs_most_last():
    """Samples and batches before experiments; interpreters of their own and questions of speed at the end."""
    assert CHECKUP.probes[:5] == ("loader", "protocol", "collate", "pictures", "labels")
    assert CHECKUP.probes[-len(LAST) :] == LAST


def test_every_rule_of_a_command_is_judged_by_a_checkup():
    """Rules of commands that do not exist yet are not."""
    expected = [check for check in CHECKS if set(check.by) & {"all", *COMMANDS}]
    assert list(checks_of("checkup")) == expected


def test_each_rule_is_shown_again_by_the_command_that_decides_it():
    """A budget, which any command may judge, by a checkup."""
    owners = {check.rule: owner_of(check) for check in CHECKS}
    assert (owners["DL105"], owners["DL301"], owners["DL601"], owners["DL001"]) == (
        "dry-run",
        "check-labels",
        "check-sharding",
        "checkup",
    )


def test_only_what_the_selected_rules_need_is_run():
    """With a dry run, which tells the fields apart for the others."""
    labels = command_of("checkup", chosen(["DL301"], []))
    assert labels.probes == ("loader", "protocol", "collate", "pictures", "labels")
    assert command_of("dry-run", chosen(["DL301"], [])) == COMMANDS["dry-run"]


def test_time_is_shared_in_a_checkup_alone():
    """And every probe has a share."""
    assert shares_of("dry-run") == {}
    assert set(shares_of("checkup")) == set(CHECKUP.probes) >= set(SHARES)


def test_the_probe_behind_a_branch_is_known():
    """It is what is named where the branch was left out for want of time."""
    assert [probe_of(branch) for branch in ("samples", "timing", "coverage", "labels", "resume")] == [
        "loader",
        "loader",
        "sharding",
        "labels",
        "resume",
    ]
