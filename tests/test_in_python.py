"""The public functions, as far as they run no loader; the pytest plugin's tests do."""

from __future__ import annotations

import pytest

import dldoctor
from dldoctor.errors import ConfigError
from dldoctor.in_python import SHORT, _sorted
from dldoctor.intent import Intent, Limits, LoaderOptions


def test_the_public_names_are_complete():
    """What is promised is there, and is found by `dir`."""
    assert [name for name in dldoctor.__all__ if not callable(getattr(dldoctor, name))] == []
    assert set(dldoctor.__all__) <= set(dir(dldoctor))
    with pytest.raises(AttributeError, match="module 'dldoctor' has no attribute 'chekup'"):
        dldoctor.chekup


def test_options_are_those_of_the_command_line():
    """Each goes to what holds it; a list is as good as a tuple."""
    parts = _sorted(
        {"role": "train", "time_budget": 5, "ids": [1, 2], "num_workers": 2, "budgets": {"padding": 0.3}}
    )
    assert parts == {
        Intent: {"role": "train", "budgets": {"padding": 0.3}},
        Limits: {"time_budget_s": 5, "ids": (1, 2)},
        LoaderOptions: {"num_workers": 2},
    }
    assert set(SHORT.values()) <= set(Limits.__dataclass_fields__)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rol": "train"}, "no option `rol`; did you mean `role`?"),
        ({"ignore": ["tail-batch"]}, "no rule `tail-batch`; did you mean `tail-batch-of-one`?"),
        ({"fail_on": "warnings"}, "no level `warnings`; did you mean `warning`?"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(options, message):
    """Before anything is run."""
    with pytest.raises(ConfigError) as caught:
        dldoctor.assert_healthy([], **options)
    assert str(caught.value) == message
