"""Facts of every row of tokens, kept by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Literal

from dldoctor.finding import SampleId, StreamPosition


@dataclass(frozen=True)
class LabelRow:
    """Facts of one row. Positions count from the left end of the row; -1 means none."""

    batch: int = 0
    row: int = 0
    sample: SampleId | None = None
    """The sample whose tokens it holds; the first of a pack."""
    group: int = 0
    """Position among the groups."""
    width: int = 0
    real: int = 0
    """Tokens that are no padding."""
    left: int = 0
    """Padded positions before them."""
    right: int = 0
    known: Literal["sample", "mask", "pad", "full"] = "full"
    """How padding was told: by the length of the sample, the mask, the pad id, or not at all."""
    trained: int = 0
    """Tokens that are targets of the loss."""
    first: int = -1
    """First target."""
    last: int = -1
    spans: int = 0
    """Runs of targets."""
    pad_trained: int = 0
    hidden: int = 0
    """Real tokens under mask 0."""
    hidden_at: int = -1
    attended: int = 0
    """Padding under mask 1."""
    eos: int = 0
    """End tokens among the real tokens."""
    eos_trained: int = 0
    eos_after: int = 0
    """End tokens behind the last target."""
    eos_passed: int = 0
    """End tokens just behind a target that are no targets themselves."""
    eos_last: bool = False
    """The last real token is an end token."""
    plain: int = 0
    """Real tokens that are not special."""
    first_id: int = -1
    """First real id."""
    last_id: int = -1
    """Last real id."""
    last_trained_id: int = -1
    before: tuple[int, ...] = ()
    """The two ids before the first target, nearest last."""
    late: int = -1
    """By how many tokens the first target lies behind the start that the sample states; -1: not stated."""
    bos_lead: int = 0
    bos_trained: int = 0
    """BOS among the targets, neither at the start of a document nor behind an end token."""
    eos_tail: int = 0
    """End tokens in a row at the end of the real tokens."""
    low: int = 0
    high: int = 0
    beyond: int = 0
    """Ids below 0 or beyond the vocabulary that are no declared placeholder."""
    compared: int = 0
    same: int = 0
    """Labels equal to the id at their own position."""
    ahead: int = 0
    """Labels equal to the id at the next position."""
    followed: int = 0
    """Labels that have a next position."""
    lag: int = 0
    """By how many positions labels stand before the ids that they name, where that is neither 0 nor 1."""
    documents: int = 1
    restarts: int = 0
    """Positions at which `position_ids` begins anew, the first included; 0 without the field."""
    beside: int = 0
    """Documents after the first at whose first token `position_ids` does not begin anew."""
    bound_trained: int = 0
    """First tokens of documents after the first that are targets."""
    leaks: int = 0
    """Documents of which a token can attend to another document by the block mask."""
    placeholders: int = 0
    placeholder_trained: int = 0
    source: int = -1
    """Tokens that the sample had; -1 where it is not known."""
    was_trained: int = -1
    """Targets that the sample's own labels (or loss mask) have; -1 where it has none."""
    lost: int = 0
    """Positions that the sample masked and the batch trains."""
    marker: int = -1
    """Times that the marker before answers occurs; -1 where no marker is known."""
    turns: int = -1
    """Turns of the assistant, where role tokens are known."""
    answers: int = -1
    """Answers, by role tokens or else by the marker before them; -1 where neither is known."""
    answers_trained: int = -1
    """Answers with at least one target."""
    last_answer_trained: bool = False


Cell = int | str | bool | None | StreamPosition | tuple[int, ...]
"""One fact of one row."""


@dataclass(frozen=True)
class LabelTable:
    """The facts of all rows, one column a fact: a report of a thousand rows stays small."""

    count: int = 0
    columns: dict[str, tuple[Cell, ...]] = field(default_factory=dict)
    """Name of a fact to its value in each row; a fact that no row has is left out."""

    @classmethod
    def of(cls, rows: Sequence[LabelRow]) -> LabelTable:
        """Return the table of some rows."""
        columns = {}
        for one in fields(LabelRow):
            values = tuple(getattr(row, one.name) for row in rows)
            if any(value != one.default for value in values):
                columns[one.name] = values
        return cls(len(rows), columns)

    @cached_property
    def rows(self) -> tuple[LabelRow, ...]:
        """The rows again."""
        names = list(self.columns)
        if not names:
            return (LabelRow(),) * self.count
        return tuple(
            LabelRow(**dict(zip(names, values, strict=True)))
            for values in zip(*self.columns.values(), strict=True)
        )
