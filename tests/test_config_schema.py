"""The schema for editors accepts what the reader accepts, and refuses what it refuses."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dldoctor.config import load
from dldoctor.config_schema import schema
from dldoctor.errors import ConfigError
from tests.test_config import REFUSED

SCHEMA = schema()
ACCEPTED = """
select = ["DL1"]
fail-on = "risk"
seed = 3
[rules.DL214]
scalars = 3
[targets.t]
target = "pkg.data:make"
kwargs = {split = "train", sizes = [1, 2]}
loader = "train"
role = "eval"
image-token-id = [3, -4]
step-ms = 3
fields = {token_ids = "input_ids"}
budgets = {padding = 0.3, samples-per-s = 500}
batch-size = 4
start-method = "spawn"
ids = [3, 17]
memory-limit = "2GiB"
rules.float64-field.min_bytes = 4
"""
FOR_THE_READER = ("rules]", "nan", "apples", "kwargs")
"""Parts of refused files that no schema can refuse: what stands twice, what is no size."""


def _valid(text: str) -> bool:
    checker = jsonschema.Draft202012Validator(SCHEMA)
    return checker.is_valid(tomllib.loads(text))


def test_it_is_a_schema() -> None:
    """Of the dialect that it names."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_what_the_reader_accepts_is_valid(tmp_path: Path) -> None:
    """Every kind of value once."""
    (tmp_path / "dldoctor.toml").write_text(ACCEPTED)
    assert (load(folder=tmp_path).targets[0].name, _valid(ACCEPTED)) == ("t", True)


@pytest.mark.parametrize("text", [one for one in REFUSED if not any(part in one for part in FOR_THE_READER)])
def test_what_the_reader_refuses_is_invalid(text: str) -> None:
    """Unknown keys, missing targets, wrong types and unknown words."""
    assert not _valid(text)


def test_every_setting_of_a_rule_has_its_default_and_meaning() -> None:
    """Under the number and the name of the rule."""
    known: dict[str, Any] = SCHEMA["$defs"]["rules"]["properties"]
    assert known["DL214"] == known["float64-field"]
    assert known["DL214"]["properties"]["scalars"] == {
        "type": "integer",
        "default": 4,
        "description": "So many numbers per sample (a label, a time, a box) are only noted.",
    }


def test_a_key_that_only_one_of_them_knows_would_be_seen(tmp_path: Path) -> None:
    """Both are made from the same tables."""
    (tmp_path / "dldoctor.toml").write_text("nonsense = 1")
    with pytest.raises(ConfigError):
        load(folder=tmp_path)
    assert not _valid("nonsense = 1")
