"""A config file says what it means, or is refused with its name and the nearest key."""

from __future__ import annotations

from pathlib import Path

import pytest

from dldoctor.config import Config, Settings, TargetConfig, find, load
from dldoctor.errors import ConfigError
from dldoctor.intent import Intent, Limits, LoaderOptions
from dldoctor.sizes import parse_bytes


def read(folder: Path, text: str, name: str = "dldoctor.toml") -> Config:
    path = folder / name
    path.write_text(text)
    return load(path, folder=folder)


def test_every_key_reaches_its_type(tmp_path: Path) -> None:
    """Keys are spelled like options; sizes may have a unit."""
    config = read(
        tmp_path,
        """
        select = ["DL1"]
        python = "/opt/python"
        [targets.t]
        target = "pkg.data:make"
        kwargs = {split = "train", sizes = [1, 2], deep = {a = 1.5, b = true}}
        loader = "train"
        allow-script = true
        role = "eval"
        task = "sft"
        replacement = true
        vocab-size = 32000
        scaled-on-device = true
        fields = {token_ids = "input_ids"}
        budgets = {padding = 0.3, samples-per-s = 500}
        batch-size = 4
        shuffle = false
        start-method = "spawn"
        samples = 100
        ids = [3, 17]
        timeout = 5
        time-budget = 1.5
        memory-limit = "2GiB"
        shm-bytes = 67108864
        ranks = 8
        fail-on = "risk"
        """,
    )
    settings = Settings(
        intent=Intent(
            role="eval",
            task="sft",
            replacement=True,
            vocab_size=32000,
            scaled_on_device=True,
            fields={"token_ids": "input_ids"},
            budgets={"padding": 0.3, "samples-per-s": 500.0},
        ),
        limits=Limits(
            samples=100,
            ids=(3, 17),
            timeout_s=5.0,
            time_budget_s=1.5,
            memory_limit_bytes=2 * 2**30,
            shm_bytes=2**26,
            ranks=8,
        ),
        loader=LoaderOptions(batch_size=4, shuffle=False, start_method="spawn"),
        select=("DL1",),
        fail_on="risk",
        python="/opt/python",
    )
    assert config == Config(
        path=tmp_path / "dldoctor.toml",
        defaults=Settings(select=("DL1",), python="/opt/python"),
        targets=(
            TargetConfig(
                name="t",
                spec="pkg.data:make",
                kwargs=("split='train'", "sizes=[1, 2]", "deep={'a': 1.5, 'b': True}"),
                loader_key="train",
                allow_script=True,
                settings=settings,
            ),
        ),
    )


REFUSED = {
    "fail_on = 'error'": "unknown key `fail_on`; did you mean `fail-on`?",
    "[targets.t]\ntarget = 'a.py'\nrolle = 'train'": "targets.t: unknown key `rolle`; did you mean `role`?",
    "[targets.t]\nrole = 'train'": 'targets.t: has no `target = "file.py:name"`',
    "[targets]\nt = 'a.py'": "targets.t: must be a table, not 'a.py'",
    "[targets.t]\ntarget = 'a.py'\nrole = 'trian'": (
        "targets.t.role: 'trian' is none of train, eval, generate; did you mean `train`?"
    ),
    "[targets.t]\ntarget = 3": "targets.t.target: expected str, got int: 3",
    "batches = 'many'": "batches: expected int, got str: 'many'",
    "batches = true": "batches: expected int, got bool: True",
    "ignore = 'DL1'": "ignore: expected array, got str: 'DL1'",
    "memory-limit = '3 apples'": (
        "memory-limit: '3 apples' is not a size; write bytes, or a number with MB, GB, MiB or GiB"
    ),
    "budgets = {paddin = 1}": "budgets: unknown key `paddin`; did you mean `padding`?",
    "budgets = {padding = 'a'}": "budgets.padding: expected float, got str: 'a'",
    "rules = {float64-fields = {share = 1}}": (
        "rules.float64-fields: no rule `float64-fields`; did you mean `float64-field`?"
    ),
    "rules = {float64-field = 3}": "rules.float64-field: must be a table of settings, not 3",
    "[rules.DL214]\nmin_byte = 3": "rules.DL214: unknown setting `min_byte`; did you mean `min_bytes`?",
    "[rules.float64-field]\nmin_bytes = 'a'": "rules.float64-field.min_bytes: expected int, got str: 'a'",
    "[rules.DL214]\nscalars = 1.5": "rules.DL214.scalars: expected int, got float: 1.5",
    "[rules.DL109]\nx = 1": "rules.DL109.x: dtype-varies has no settings",
    "[rules.DL312]\nmax_share = nan": (
        "rules.DL312.max_share: expected a number, got nan; `ignore` turns a rule off"
    ),
    "[rules]\nDL214 = {}\nfloat64-field = {}": "rules.float64-field: DL214 float64-field is there twice",
    "[targets.t]\ntarget = 'a.py'\nrules.DL214.x = 1": (
        "targets.t.rules.DL214: unknown setting `x`; it has scalars, min_bytes"
    ),
    "fields = {sample = 'x'}": "fields: unknown key `sample`; did you mean `sample_id`?",
    "[targets.t]\ntarget = 'a.py'\nkwargs = {when = 2026-01-01}": (
        "targets.t.kwargs.when: 2026-01-01 cannot be written as a Python literal"
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_wrong_is_named(tmp_path: Path, text: str) -> None:
    """File, place, and the nearest known word."""
    with pytest.raises(ConfigError) as error:
        read(tmp_path, text)
    assert str(error.value) == f"{tmp_path / 'dldoctor.toml'}: {REFUSED[text]}"


def test_settings_of_rules_reach_a_target_by_number(tmp_path: Path) -> None:
    """A target's own come after those of the file, each by itself; a rule has its number or its name."""
    config = read(
        tmp_path,
        """
        [rules]
        DL214 = {scalars = 2, min_bytes = 9}
        [targets.t]
        target = "a.py"
        rules.float64-field.scalars = 7
        rules.DL312.max_share = 1
        """,
    )
    shared = {"DL214": {"scalars": 2, "min_bytes": 9}}
    assert (config.defaults.rules, config.targets[0].settings.rules) == (
        shared,
        {"DL214": {"scalars": 7, "min_bytes": 9}, "DL312": {"max_share": 1.0}},
    )


def test_broken_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    """The parser's own words say where."""
    with pytest.raises(ConfigError, match=r"dldoctor\.toml is not valid TOML: .*line 2"):
        read(tmp_path, "batches = 3\nseed = = 1")


def test_the_nearest_file_upward_is_used(tmp_path: Path) -> None:
    """A pyproject.toml without our table is passed by, and dldoctor.toml goes before pyproject.toml."""
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find(deep) is None or tmp_path not in find(deep).parents  # type: ignore[union-attr]
    (tmp_path / "pyproject.toml").write_text("[tool.dldoctor]\nseed = 1")
    (deep / "pyproject.toml").write_text("[tool.ruff]")
    assert find(deep) == tmp_path / "pyproject.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.dldoctor]\nseed = 2")
    (tmp_path / "a" / "dldoctor.toml").write_text("seed = 3")
    assert load(folder=deep).defaults.limits.seed == 3


def test_a_file_that_was_asked_for_must_have_our_table(tmp_path: Path) -> None:
    """Otherwise a wrong `--config` would silently mean the defaults."""
    with pytest.raises(ConfigError, match=r"pyproject\.toml has no \[tool\.dldoctor\] table"):
        read(tmp_path, "[tool.ruff]", name="pyproject.toml")


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    """From a folder below, a target is still found; modules and absolute paths stay as they are."""
    below = tmp_path / "notebooks"
    below.mkdir()
    (tmp_path / "dldoctor.toml").write_text(
        "[targets.a]\ntarget = 'data.py:make'\ncollate = 'pkg/c.py:pad'\n"
        "[targets.b]\ntarget = 'pkg.data:make'\n[targets.c]\ntarget = '/data/d.py'"
    )
    targets = load(folder=below).targets
    assert [(one.spec, one.settings.loader.collate) for one in targets] == [
        (f"{tmp_path}/data.py:make", f"{tmp_path}/pkg/c.py:pad"),
        ("pkg.data:make", None),
        ("/data/d.py", None),
    ]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("65536", 65536), ("64MB", 64_000_000), ("64m", 2**26), ("2GiB", 2**31), (" 1.5 kB ", 1500), ("0", 0),
    ],
)  # fmt: skip
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    """Decimal and binary units are told apart."""
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1", "1e9", "64 apples", "1.2.3"])
def test_what_is_no_size_is_refused(text: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(ValueError, match="is not a size"):
        parse_bytes(text)
