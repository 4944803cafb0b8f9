"""Text of a row in pieces: words, special tokens, numbered runs of placeholders, padding."""

from __future__ import annotations

from dldoctor.evidence.row_media import TextPiece
from dldoctor.probes.alignment.rows.texts import CHARACTERS, decoded, text_of
from dldoctor.probes.labels.vocabulary import adapted


class Words:
    """A tokenizer of a few words, with a beginning, an end, padding and images."""

    special_tokens = {"<pad>": 0, "<s>": 1, "</s>": 2, "<image>": 3}
    names = {0: "<pad>", 1: "<s>", 2: "</s>", 3: "<image>", 4: "two", 5: "cats"}
    eos_token_id, pad_token_id = 2, 0

    def encode(self, text: str) -> list[int]:
        raise NotImplementedError

    def decode(self, ids: list[int]) -> str:
        return " ".join(self.names[one] for one in ids)


def test_runs_of_placeholders_are_numbered_and_padding_is_one_piece():
    """Two images are two runs only where something stands between them."""
    ids = [1, 3, 3, 4, 3, 5, 2, 0, 0]
    found = decoded("ids", ids, [one != 0 for one in ids], adapted(Words(), "declared"), (3,))
    assert found.pieces == (
        TextPiece("<s>", "special"),
        TextPiece("<image>", "placeholder", 1, 2),
        TextPiece("two"),
        TextPiece("<image>", "placeholder", 2, 1),
        TextPiece("cats"),
        TextPiece("</s>", "special"),
        TextPiece("", "padding", 0, 2),
    )
    assert (found.tokens, found.cut) == (9, False)


def test_without_a_tokenizer_ids_are_shown():
    """Negative ids are placeholders, whatever the vocabulary."""
    assert decoded("ids", [7, 8, -200, -200, 9], [True] * 5, None, ()).pieces == (
        TextPiece("7 8", "ids", 0, 2),
        TextPiece("<id:-200>", "placeholder", 1, 2),
        TextPiece("9", "ids", 0, 1),
    )


def test_placeholders_that_are_masked_are_placeholders():
    """What a mask hides must be seen all the more."""
    pieces = decoded("ids", [3, 3], [False, False], None, (3,)).pieces
    assert [(one.kind, one.count) for one in pieces] == [("placeholder", 2)]


def test_a_long_text_is_cut_and_says_so():
    """A page shows the beginning."""
    found = text_of("caption", "a" * (CHARACTERS + 1))
    assert (len(found.pieces[0].text), found.cut) == (CHARACTERS, True)
