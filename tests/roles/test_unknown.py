"""What is said to a role that there is not."""

from __future__ import annotations

import pytest

from dldoctor.roles.unknown import unknown_role


@pytest.mark.parametrize(
    ("role", "path", "said"),
    [
        ("label", "b", "; did you mean `class_label` or `labels` or `segmentation_mask`?"),
        ("image", "x", "; did you mean `pixel_values`?"),
        ("token_id", "x", "; did you mean `token_ids`?"),
        ("b", "class_label", "; the role comes first: `--field class_label=b`"),
        ("b", "label", "; the role comes first: `--field class_label=b`"),
    ],
)
def test_the_nearest_roles_are_offered(role: str, path: str, said: str) -> None:
    """By what fields are called, by spelling, and where role and path changed places."""
    assert unknown_role(role, path) == f"no field role `{role}`{said}"


def test_a_word_like_none_of_them_gets_them_all() -> None:
    """A list is better than nothing."""
    assert unknown_role("xyz", "b").startswith("no field role `xyz`; there is token_ids, attention_mask, ")
