"""Whether the rows of a batch follow when its samples are given in another order.

It asks nothing of single samples, so it also tells of collates that take none alone; but it does not
tell which sample a row came from.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from dldoctor.probes.arrays import is_array
from dldoctor.probes.look import as_tensor
from dldoctor.probes.provenance.agreement import Verdict, agree
from dldoctor.probes.provenance.columns import Column
from dldoctor.probes.provenance.content import Content, content, equal
from dldoctor.probes.provenance.tracing import traced

FEWEST = 4
"""Samples below which another order is too much like the first."""


def another_order(count: int) -> list[int]:
    """Return positions in an order that neither turning nor reversing gives."""
    order = list(range(count))
    source = random.Random(5)  # noqa: S311 - an order, no secret
    while count >= FEWEST:
        source.shuffle(order)
        steps = {(b - a) % count for a, b in zip(order, [*order[1:], order[0]], strict=True)}
        if len(steps) > 1 and order != sorted(order):
            break
    return order


def first_rows(batch: Mapping[str, Any]) -> dict[str, Content]:
    """Return the first row of each field that has rows long enough to be told apart."""
    rows = {path: found for path, leaf in batch.items() if (found := _rows(leaf))}
    return {path: found[0] for path, found in rows.items() if found[0] is not None and found[0].rich}


def followed(
    batch: Mapping[str, Any], reordered: Mapping[str, Any], count: int, before: Mapping[str, Content]
) -> Verdict:
    """Compare the rows of two batches of the same samples.

    `before` has the first rows of another batch: what is the same in each batch (a table of pairs,
    positions) is nothing of the samples.
    """
    fields = []
    for path, first in first_rows(batch).items():
        rows, others = _rows(batch[path]), _rows(reordered.get(path))
        if path not in before or equal(before[path], first) or others is None:
            continue
        if 1 < len(rows) <= count and len(others) <= count:
            column = Column(path, others, tuple((one,) for one in rows))
            if column.rich:
                fields.append(traced(column))
    return agree(fields, [], count, frozenset())


def _rows(leaf: Any) -> Any:
    if is_array(leaf):
        table = as_tensor(leaf)
        return (
            None
            if table is None or not table.ndim
            else tuple(content(one) for one in table.detach().unbind(0))
        )
    return tuple(content(one) for one in leaf) if isinstance(leaf, (list, tuple)) else None
