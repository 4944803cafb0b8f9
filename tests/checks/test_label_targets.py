"""DL304 to DL307, DL311, DL313 to DL317 on hand-made rows."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.double_special import DoubleSpecial
from dldoctor.checks.first_token_untrained import FirstTokenUntrained
from dldoctor.checks.foreign_ignore_index import ForeignIgnoreIndex
from dldoctor.checks.labels_overwritten import LabelsOverwritten
from dldoctor.checks.labels_pre_shifted import LabelsPreShifted
from dldoctor.checks.lengths_disagree import LengthsDisagree
from dldoctor.checks.placeholder_trained import PlaceholderTrained
from dldoctor.checks.prompt_trained import PromptTrained
from dldoctor.checks.token_out_of_vocab import TokenOutOfVocab
from dldoctor.checks.truncated import Truncated
from dldoctor.evidence.labels import LengthsApart, LimitTrial
from dldoctor.finding import Level
from tests.checks.label_cases import GROUP, WORDS, judged, levels, numbered, rows


def test_a_trained_prompt_is_an_error_only_if_declared() -> None:
    """Whole texts may be meant."""
    whole = rows(8, first=1, trained=17)
    assert levels(PromptTrained(), whole) == ["info"]
    assert levels(PromptTrained(), whole, intent={"completion_only": True}) == ["error"]
    assert levels(PromptTrained(), whole, intent={"task": "pretrain"}) == ["not-applicable"]
    assert levels(PromptTrained(), rows(8), intent={"completion_only": True}) == []


def test_speakers_say_more_than_the_first_token() -> None:
    """A masked start, and a user who is trained later; stray line breaks do not count."""
    turns = {"user": (100, 40), "assistant": (100, 100)}
    (found,) = judged(PromptTrained(), rows(8), intent={"completion_only": True}, turns=turns)
    assert "trained: user 40%, assistant 100%" in found.message
    few = {"user": (100, 2), "assistant": (100, 100)}
    assert levels(PromptTrained(), rows(8), intent={"completion_only": True}, turns=few) == []


def test_a_late_mask_needs_a_statement_or_a_constant_marker() -> None:
    """The prompt length of the sample, or one id that always stands two before the targets."""
    assert levels(FirstTokenUntrained(), rows(4, late=1)) == ["error"]
    assert levels(FirstTokenUntrained(), rows(4, late=0)) == []
    late = [replace(row, before=(9, 100 + row.row)) for row in rows(16)]
    assert levels(FirstTokenUntrained(), late) == ["error"]
    assert levels(FirstTokenUntrained(), late[:15]) == []
    assert levels(FirstTokenUntrained(), [replace(row, before=(100 + row.row, 9)) for row in late]) == []


def test_moved_labels_are_right_or_wrong_by_who_moves_them() -> None:
    """Undeclared, both are said."""
    moved, group = rows(4, same=0, ahead=8), replace(GROUP, label_kind="shifted")
    assert levels(LabelsPreShifted(), moved, group=group) == ["info"]
    assert levels(LabelsPreShifted(), moved, group=group, intent={"labels_shifted_by": "model"}) == ["error"]
    assert levels(LabelsPreShifted(), moved, group=group, intent={"labels_shifted_by": "data"}) == []
    assert levels(LabelsPreShifted(), rows(4), intent={"labels_shifted_by": "data"}) == ["error"]
    assert levels(LabelsPreShifted(), rows(4)) == []


def test_two_starts_two_ends_and_a_start_inside() -> None:
    """Each is one finding."""
    assert levels(DoubleSpecial(), rows(4, bos_lead=2)) == ["warning"]
    assert levels(DoubleSpecial(), rows(4, bos_trained=1)) == ["warning"]
    assert levels(DoubleSpecial(), rows(4, eos_tail=2)) == ["warning"]
    unclear = replace(WORDS, pad=1)
    assert levels(DoubleSpecial(), rows(4, eos_tail=2, known="pad"), words=unclear) == []
    assert levels(DoubleSpecial(), numbered(rows(199), rows(1, bos_lead=2))) == ["info"]


def test_what_the_collate_does_to_labels_and_samples() -> None:
    """Positions before and after; keys that it takes away; a first sample that decides."""
    (found,) = judged(LabelsOverwritten(), rows(2, lost=7, was_trained=1, trained=8))
    assert found.message == (
        "the collate trains 14 positions that the samples had masked, in 2 of 2 rows: targets before 2, after 16"
    )
    assert levels(LabelsOverwritten(), rows(2), dropped_keys=("images",), order_matters=("labels",)) == [
        "info",
        "info",
    ]
    assert levels(LabelsOverwritten(), rows(2, was_trained=-1)) == ["not-applicable"]


def test_cut_texts_are_a_warning_above_the_limits() -> None:
    """1% of the texts, or 0.1% of the answers; windows of one length are not judged."""
    cut = {"source": 40, "eos": 0, "eos_last": False, "eos_trained": 0}
    assert levels(Truncated(), numbered(rows(90), rows(10, **cut))) == ["warning"]
    assert levels(Truncated(), rows(8)) == []
    windows = rows(8, **cut, first=1, trained=17)
    assert levels(Truncated(), windows) == ["not-applicable"]
    trial = LimitTrial("dataset.max_length", 18, 1000, 5, 0, 30, keeps_95=18, keeps_99=18)
    assert levels(
        Truncated(), rows(8, eos_last=False), limit=18, limit_from="dataset.max_length", trial=trial
    ) == ["info"]


def test_ids_beyond_the_vocabulary() -> None:
    """Negative ones are certain; a few more than the tokenizer knows may be rows that the embedding has."""
    sized = replace(WORDS, size=1000, sources={"size": "declared"})
    assert levels(TokenOutOfVocab(), rows(2, beyond=1, high=1000), words=sized) == ["error"]
    told = replace(sized, sources={"size": "tokenizer"})
    assert levels(TokenOutOfVocab(), rows(2, beyond=1, high=1000), words=told) == ["warning"]
    assert levels(TokenOutOfVocab(), rows(2, beyond=1, low=-5, high=10), words=told) == ["error"]
    assert levels(TokenOutOfVocab(), rows(2)) == ["not-applicable"]


def test_negative_labels_other_than_the_ignored_one() -> None:
    """Two values are an error; one other may be what the loss ignores."""
    assert levels(ForeignIgnoreIndex(), rows(2), foreign={"-100": 5, "-1": 2}) == ["error"]
    assert levels(ForeignIgnoreIndex(), rows(2), foreign={"-1": 2}) == ["info"]
    assert levels(ForeignIgnoreIndex(), rows(2), foreign={"-1": 2}, intent={"ignore_index": -1}) == []
    assert levels(ForeignIgnoreIndex(), rows(2), foreign={"-1": 2}, intent={"ignore_index": -100}) == [
        "error"
    ]


def test_lengths_are_compared_within_one_text() -> None:
    """A translation has two."""
    apart = (LengthsApart(3, {"input_ids": 10, "labels": 9}),)
    (found,) = judged(LengthsDisagree(), rows(2), apart=apart, apart_count=1)
    assert (
        found.message
        == "fields of one text differ in length in 1 sample of 2: `input_ids` 10, `labels` 9 in sample 3"
    )
    assert levels(LengthsDisagree(), rows(2), apart=apart, intent={"task": "seq2seq"}) == ["not-applicable"]


def test_placeholders_among_the_targets() -> None:
    """Only where some were seen."""
    words = replace(WORDS, placeholders=(7,), sources={"placeholders": "declared"})
    assert levels(PlaceholderTrained(), rows(2, placeholders=16, placeholder_trained=16), words=words) == [
        "error"
    ]
    assert levels(PlaceholderTrained(), rows(2, placeholders=16), words=words) == []
    assert levels(PlaceholderTrained(), rows(2), words=words) == ["not-applicable"]


TALK = {"answers": 3, "answers_trained": 1, "last_answer_trained": True}


def test_only_the_last_answer_is_a_note_until_it_is_declared() -> None:
    """Both readings, and silence once it is known to be meant."""
    talks = rows(4, **TALK)
    (note,) = judged(PromptTrained(), talks)
    assert note.level is Level.INFO
    assert note.message.startswith("4 of 12 answers are trained in 4 conversations of several answers")
    assert judged(PromptTrained(), talks, intent={"last_turn_only": True}) == []


def test_earlier_answers_are_an_error_where_only_the_last_is_declared() -> None:
    """With the rows in which they are."""
    talks = numbered(rows(4, **TALK), rows(2, **{**TALK, "answers_trained": 3, "spans": 3}))
    assert judged(PromptTrained(), talks) == []
    (found,) = judged(PromptTrained(), talks, intent={"last_turn_only": True})
    assert (found.level, found.samples) == (Level.ERROR, (4, 5))
    assert found.message == (
        "6 of 6 answers are trained in 2 conversations of several answers, although only the last ones should be"
    )


def test_conversations_of_which_some_end_untrained_say_nothing_of_last_answers() -> None:
    """Truncation may have taken the last answer; no pattern, no claim."""
    talks = numbered(rows(4, **TALK), rows(1, **{**TALK, "last_answer_trained": False}))
    assert judged(PromptTrained(), talks) == []
