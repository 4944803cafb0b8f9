"""Roles over the batch forms of real trainers, with their names and without."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from dldoctor.errors import ConfigError
from dldoctor.intent import FIELD_ROLES, Inferred
from dldoctor.roles import RoleObserver, infer, own_id_field
from dldoctor.roles.names import _NAMES
from dldoctor.roles.observer import digest
from tests.roles.batches import FORMS, Draw, made
from tests.roles.judged import judged
from tests.roles.text_batches import TEXT_FORMS


def test_every_leaf_of_the_made_batches_has_a_true_role() -> None:
    """The measure below leaves nothing out."""
    differing = [
        form.__name__
        for form in (*FORMS, *TEXT_FORMS)
        for batch in made(form, 1)
        if set(digest(batch.batch)) != set(batch.truth)
    ]
    assert differing == []


def test_with_names_roles_are_right() -> None:
    """Names and values together; `benchmarks/roles.py` prints the share and what is wrong."""
    seen = list(judged(renamed=False))
    assert sum(one.right for one in seen) / len(seen) >= 0.97


def test_without_names_most_roles_are_right() -> None:
    """Values alone; the same benchmark prints this share too."""
    seen = list(judged(renamed=True))
    assert sum(one.right for one in seen) / len(seen) >= 0.9


@pytest.mark.parametrize("renamed", [False, True])
def test_no_wrong_role_is_called_certain(renamed: bool) -> None:
    """A finding may be an error only on a certain role, so a certain one must hold."""
    assert [one for one in judged(renamed=renamed) if one.wrong_and_certain] == []


def roles(batch: Any) -> dict[str, tuple[str, bool]]:
    """Role and whether it is at least likely."""
    return {path: (found.role, found.confidence >= 0.7) for path, found in infer([digest(batch)]).items()}


def test_values_overrule_a_name() -> None:
    """Cumulative lengths under the name of a mask are taken for what they are."""
    draw = Draw(1)
    ids = draw.words(1, 90)
    found = infer([digest({"input_ids": ids, "attention_mask": torch.tensor([0, 30, 70, 90])})])
    assert found["attention_mask"].role == "document_lengths"
    assert found["attention_mask"].why == "rises from 0 to 90, the number of tokens"


def test_equal_tables_are_told_apart_by_name() -> None:
    """Order decides only where names do not."""
    ids = Draw(2).words(4, 64)
    assert roles({"labels": ids, "input_ids": ids.clone()}) == {
        "labels": ("labels", True),
        "input_ids": ("token_ids", True),
    }
    assert {path: role for path, (role, _) in roles({"k0": ids, "k1": ids.clone()}).items()} == {
        "k0": "token_ids",
        "k1": "labels",
    }


def test_all_ignored_labels_are_labels() -> None:
    """That nothing is trained is a finding, not a reason to miss the field."""
    ids = Draw(3).words(4, 32)
    assert roles({"k0": ids, "k1": torch.full_like(ids, -100)})["k1"] == ("labels", True)


def test_numbers_of_a_table_are_not_certainly_anything() -> None:
    """Measurements in columns look like boxes, times or texts; none may be called certain."""
    draw = Draw(4)
    tables = {
        "flowers": draw.real(32, 4).abs(), "prices": draw.real(32, 12), "counts": draw.ints(0, 900, 32, 12), "age": draw.ints(18, 90, 32),
        "embedding": draw.real(32, 768), "ratio": torch.rand(32, generator=draw.torch), "flags": draw.ints(0, 2, 32, 6),
    }  # fmt: skip
    found = infer([digest({f"k{i}": table for i, table in enumerate(tables.values())})])
    assert {path: one for path, one in found.items() if one.confidence >= 0.9} == {}
    named = infer([digest(tables)])
    assert {path: one for path, one in named.items() if one.confidence >= 0.7} == {}


def test_a_batch_may_lack_what_others_show() -> None:
    """Full rows in one batch do not hide the mask that another batch shows."""
    draw = Draw(5)
    full = {"k0": draw.words(4, 40), "k1": torch.ones(4, 40, dtype=torch.long)}
    ids, mask = draw.padded(4, 40)
    found = infer([digest(full), digest({"k0": ids, "k1": mask})])
    assert (found["k1"].role, found["k1"].confidence >= 0.7) == ("attention_mask", True)


# --- samples ---------------------------------------------------------------------------------


def observed(samples: list[Any], batches: tuple[Any, ...] = ()) -> RoleObserver:
    observer = RoleObserver()
    for index, sample in enumerate(samples):
        observer.sample(index, sample)
    for batch in batches:
        observer.batch(batch)
    return observer


def likely(found: dict[str, Inferred]) -> dict[str, str]:
    return {path: one.role for path, one in found.items() if one.confidence >= 0.7}


def test_fields_of_samples_have_roles_before_any_collate() -> None:
    """Pillow images, texts and paths of a plain dataset."""
    draw = Draw(6)
    samples = [
        {
            "image": Image.new("RGB", (20 + i, 30)), "caption": draw.text(), "file_name": f"photos/{i * 37:05}.jpg",
            "label": draw.random.randrange(4),
        }
        for i in range(24)
    ]  # fmt: skip
    observer = observed(samples)
    assert likely(observer.sample_roles()) == {
        "image": "pixel_values",
        "caption": "text",
        "file_name": "sample_id",
        "label": "class_label",
    }
    assert own_id_field(observer.sample_roles(), observer.paths()) == "file_name"


def test_ragged_token_lists_of_samples_are_token_ids() -> None:
    """Samples are not padded yet; their labels lie beside them."""
    draw = Draw(7)
    samples = []
    for _ in range(24):
        ids = draw.words(draw.random.randint(10, 60)).tolist()
        samples.append({"a": ids, "b": [-100] * 5 + ids[5:]})
    assert likely(observed(samples).sample_roles()) == {"a": "token_ids", "b": "labels"}


def test_a_tuple_of_image_and_class_is_told() -> None:
    """The plainest dataset of all."""
    draw = Draw(8)
    samples = [(draw.real(3, 16, 16).numpy(), draw.random.randrange(3)) for _ in range(24)]
    found = observed(samples).sample_roles()
    assert {path: one.role for path, one in found.items()} == {"0": "pixel_values", "1": "class_label"}


def test_the_index_in_a_sample_is_its_own_id() -> None:
    """Equal to the index that was asked for: proof enough, whatever the name."""
    samples = [{"n": i, "x": torch.rand(3)} for i in range(24)]
    assert observed(samples).sample_roles()["n"].role == "sample_id"


def test_clips_of_several_lengths_are_audio() -> None:
    """Waves from a dataset, as arrays."""
    samples = [{"k": np.sin(np.arange(6000 + 500 * i) / 9).astype(np.float32)} for i in range(6)]
    assert likely(observed(samples).sample_roles()) == {"k": "audio"}


def test_a_path_of_samples_and_batches_has_one_role() -> None:
    """What the batch proves holds for the sample too, and the other way round."""
    draw = Draw(9)
    batch = {"x": draw.real(8, 3, 16, 16), "name": [f"n{i}" for i in range(8)]}
    samples = [{"x": draw.real(3, 16, 16), "name": f"n{i}", "extra": draw.text()} for i in range(24)]
    observer = observed(samples, (batch,))
    assert observer.roles() == {**observer.batch_roles(), "extra": observer.sample_roles()["extra"]}
    assert observer.sample_roles()["name"] == observer.batch_roles()["name"]


def test_a_digest_that_came_from_a_worker_judges_alike() -> None:
    """Pickled and back, it tells the same roles."""
    batch = next(made(FORMS[0], 1)).batch
    assert infer([pickle.loads(pickle.dumps(digest(batch)))]) == infer([digest(batch)])


# --- declared --------------------------------------------------------------------------------


def test_a_declared_role_wins() -> None:
    """The user knows."""
    observer = observed([{"id": f"a{i}", "other": f"b{i}", "m.k": i} for i in range(8)])
    found = observer.roles({"sample_id": "other", "group": "m.k"})
    assert (found["other"], found[r"m\.k"]) == (
        Inferred("sample_id", 1.0, "declared"),
        Inferred("group", 1.0, "declared"),
    )
    assert own_id_field(found, observer.paths()) == "other"


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"sample_id": "metaid"}, "no field `metaid` for `sample_id`; did you mean `meta.id`?"),
        ({"sampleid": "meta.id"}, "no field role `sampleid`; did you mean `sample_id`?"),
    ],
)
def test_an_unknown_path_or_role_names_the_nearest(declared: dict[str, str], message: str) -> None:
    """A typo is an error with a guess."""
    with pytest.raises(ConfigError) as raised:
        observed([{"meta": {"id": "a"}}]).roles(declared)
    assert str(raised.value) == message


def test_names_mean_known_roles() -> None:
    """The table of names holds no role that `--field` does not take."""
    assert {role for role, _, _ in _NAMES} <= set(FIELD_ROLES)


# --- anything --------------------------------------------------------------------------------

shapes = st.lists(st.integers(0, 9), max_size=4).map(tuple)
tensors = st.builds(
    lambda shape, dtype, seed: (torch.rand(shape, generator=torch.Generator().manual_seed(seed)) * 9 - 2).to(
        dtype
    ),
    shapes,
    st.sampled_from(
        [torch.int64, torch.float32, torch.bool, torch.uint8, torch.bfloat16, torch.int32, torch.float64]
    ),
    st.integers(0, 9),
)
things = st.one_of(
    tensors, st.none(), st.integers(), st.floats(), st.text(max_size=9), st.lists(tensors, max_size=4),
    st.lists(st.integers(-3, 9), max_size=9), st.lists(st.text(max_size=9), max_size=4), st.just(object()), st.complex_numbers(),
)  # fmt: skip
names = st.sampled_from(
    ["input_ids", "labels", "attention_mask", "image", "boxes", "id", "audio", "a", "text", "mask"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(names, things, max_size=5), min_size=1, max_size=3))
def test_no_batch_makes_it_raise(batches: list[dict[str, Any]]) -> None:
    """Empty, odd and mixed leaves are judged or left alone, as batches and as samples."""
    found = observed(batches, tuple(batches)).roles()
    assert all(one.role in FIELD_ROLES and 0.4 <= one.confidence <= 1 and one.why for one in found.values())
