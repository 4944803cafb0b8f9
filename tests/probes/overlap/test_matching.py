"""Which items that were read are held to be the same, and which healthy look-alikes are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from dldoctor.probes.overlap.marks import Marks, marks_of  # noqa: E402
from dldoctor.probes.overlap.matching import Matching  # noqa: E402


def picture(seed: int) -> Any:
    return torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(seed))


def side(samples: Sequence[Any], files: Sequence[str] = ()) -> list[Marks]:
    return [marks_of(at, one, tuple(files[at : at + 1])) for at, one in enumerate(samples)]


def told(
    first: Sequence[Any], second: Sequence[Any], drawn: tuple[str, ...] = (), files: Any = ((), ())
) -> list[Any]:
    one, other = side(first, files[0]), side(second, files[1])
    found = Matching(one, other, frozenset(drawn)).shared((1.0, 1.0))
    return [(shared.how, shared.count, shared.pairs[0], shared.fields) for shared in found]


def rows(seeds: Iterator[int] | range, **more: Any) -> list[dict[str, Any]]:
    return [{"id": at, "image": picture(seed), **more} for at, seed in enumerate(seeds)]


def test_equal_contents_are_equal_items_whatever_their_small_ids() -> None:
    """The ids count anew on each side."""
    assert told(rows(range(20)), rows(range(15, 35))) == [("content", 5, (15, 0), ("image",))]
    assert told(rows(range(20)), rows(range(40, 60))) == []


def test_blank_pictures_and_frequent_contents_are_no_items() -> None:
    """They belong to nobody."""
    blank = [{"image": torch.zeros(3, 8, 8)}] * 4
    assert told(rows(range(20)) + blank, rows(range(40, 60)) + blank) == []
    often = [{"image": picture(99)}] * 12
    assert told(rows(range(20)) + often, rows(range(40, 60)) + often) == []


@pytest.mark.parametrize(
    "questions", [("how many dogs?", "what colour is it?"), (torch.tensor([3, 4]), torch.tensor([7, 8]))]
)
def test_pictures_with_other_questions_are_parts(questions: tuple[Any, Any]) -> None:
    """Text, or a few tokens."""
    first = [{"image": picture(at), "question": questions[0], "n": f"a {at}"} for at in range(10)]
    second = [{"image": picture(at), "question": questions[1], "n": f"b {at}"} for at in range(10)]
    assert [(how, count, fields) for how, count, _, fields in told(first, second)] == [
        ("part", 10, ("image",))
    ]


def test_a_field_that_says_which_split_it_is_hides_nothing() -> None:
    """It is the same in all items of a side."""
    found = told(rows(range(10), split="train"), rows(range(10), split="val"))
    assert found == [("content", 10, (0, 0), ("image",))]


def test_what_is_drawn_anew_is_told_by_files() -> None:
    """One file an item; an archive that the first read opens is none."""
    first, second = rows(range(10)), rows(range(50, 60))
    names = [f"/data/{number}.png" for number in range(20)]
    assert told(first, second, ("image",), (names[:10], names[7:17])) == [("file", 3, (7, 0), ())]
    assert told(first, second, ("image",), (["/data/all.h5"], ["/data/all.h5"])) == []


def test_one_side_may_read_more_files() -> None:
    """A noise that training adds; one that both add makes no pair."""
    first, second = rows(range(10)), rows(range(50, 60))
    one = [marks_of(at, sample, (f"/clips/{at}", f"/noise/{at}")) for at, sample in enumerate(first)]
    alone = [marks_of(at, sample, (f"/clips/{at + 7}",)) for at, sample in enumerate(second)]
    noisy = [marks_of(at, sample, (f"/clips/{at + 90}", f"/noise/{at}")) for at, sample in enumerate(second)]

    def by_file(other: list[Marks]) -> list[tuple[Any, ...]]:
        found = Matching(one, other, frozenset({"image"})).shared((1.0, 1.0))
        return [shared.pairs for shared in found if shared.how == "file"]

    assert by_file(alone) == [((7, 0), (8, 1), (9, 2))]
    assert by_file(noisy) == []


def test_a_text_beside_pictures_that_cannot_be_compared_is_only_a_text() -> None:
    """Captions repeat."""
    caption = "a man rides a wave on top of a surfboard, number {}"
    first = [{"image": picture(at), "text": caption.format(at)} for at in range(10)]
    second = [{"image": picture(at + 90), "text": caption.format(at + 8)} for at in range(10)]
    assert told(first, second, ("image",)) == [("text", 2, (8, 0), ("text",))]


def test_conversations_are_told_apart_by_all_of_their_turns() -> None:
    """The prompt of the system is the same in all."""

    def talk(number: int) -> dict[str, Any]:
        turns = (
            ("system", "You answer in short sentences."),
            ("user", f"Is {number} even?"),
            ("assistant", "Yes."),
        )
        return {"messages": [{"role": role, "content": text} for role, text in turns]}

    first = [talk(number) for number in range(20)]
    assert told(first, [talk(number) for number in range(20, 30)]) == []
    assert told(first, [talk(number) for number in range(15, 25)]) == [
        ("content", 5, (15, 0), ("messages.content",))
    ]


def ids(numbers: Sequence[Any], seed: int = 0) -> list[dict[str, Any]]:
    return [{"image_id": number, "image": picture(at + seed)} for at, number in enumerate(numbers)]


def test_ids_that_were_given_before_the_split_are_the_same() -> None:
    """Those that count the items of a side are not."""
    given = [f"scan_{at * 37 % 1009:04d}" for at in range(40)]
    assert told(ids(given[:30]), ids(given[24:]), ("image",)) == [("id", 6, (24, 0), ("image_id",))]
    counted = [f"img_{at}" for at in range(30)]
    assert told(ids(counted), ids(counted[:20]), ("image",)) == []
    assert told(ids(given[:30]), ids(given[24:], 100)) == []  # the pictures say that they are others
