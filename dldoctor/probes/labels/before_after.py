"""What the labels of a row were in its samples, and what the collate made of them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.evidence.labels import LabelGroup, LengthsApart
from dldoctor.finding import SampleId
from dldoctor.foreign import attribute
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.belonging import NEAR, belongs, pads_alike, repeats, stem
from dldoctor.probes.labels.own_tokens import Own
from dldoctor.probes.labels.provenance import Part, Source
from dldoctor.probes.labels.trace import SampleTrace

BESIDE = {"labels", "attention_mask", "loss_mask", "position_ids", "segment_ids"}
"""Roles whose sequences must be as long as the token ids."""


def compared(
    tables: Aligned, own: Own, parts: Sequence[Part], row: int, traces: Sequence[SampleTrace], source: Source,
    prompts: Sequence[int] | None, group: LabelGroup,
) -> dict[str, int]:  # fmt: skip
    """Return the facts of a row that come from comparing it with its samples."""
    facts: dict[str, int] = {"source": sum(part.whole for part in parts)} if parts else {}
    if tables.targets is None or not parts:
        return facts | _late(tables, own, row, None if prompts is None else prompts[row])
    was, lost = 0, 0
    start, own_labels = None, None
    known = False
    for part in parts:
        flags = _targets_of(traces[part.sample], source, group)
        if flags is None:
            continue
        known = True
        marked = int(flags.sum())
        was += marked
        kept = flags[part.skipped : part.skipped + part.length]
        # The first token of a row has nothing that predicts it, whatever the labels say.
        trained = tables.targets[row, part.start : part.start + len(kept)]
        lost += int((trained & ~kept[: len(trained)]).sum())
        if len(parts) == 1 and marked:
            begins = part.start - part.skipped + int(flags.int().argmax())
            start, own_labels = (begins, None) if source.mask else (None, begins)
    if known:
        facts |= {"was_trained": was, "lost": lost}
    if start is None and source.prompt is not None and len(parts) == 1:
        prompt = traces[parts[0].sample].numbers.get(source.prompt)
        start = None if prompt is None else parts[0].start - parts[0].skipped + prompt
    if start is None and prompts is not None:
        start = own_start(own, row) + prompts[row]
    if start is None and own_labels is not None:
        # The sample's labels are on trial themselves: they tell only that the collate begins later.
        found = _late(tables, own, row, own_labels)
        return facts | (found if found.get("late") else {})
    return facts | _late(tables, own, row, start)


def own_start(own: Own, row: int) -> int:
    """Return the first real position of a row."""
    return int(own.real[row].int().argmax())


def _late(tables: Aligned, own: Own, row: int, start: int | None) -> dict[str, int]:
    if start is None or tables.targets is None or start <= 0:
        return {}
    targets = tables.targets[row] & own.real[row]
    if not bool(targets.any()):
        return {}
    return {"late": max(0, int(targets.int().argmax()) - start)}


def _targets_of(trace: SampleTrace, source: Source, group: LabelGroup) -> Any:
    """Return flags (a tensor) of the tokens that the sample itself marks as targets, or None."""
    import torch

    ids = trace.sequences.get(source.tokens)
    if source.mask and (flags := trace.sequences.get(source.mask)) is not None:
        return _tensor(flags) != 0
    given = trace.sequences.get(source.labels) if source.labels else None
    if given is None or ids is None:
        return None
    labels = _tensor(given)
    valid = labels >= 0
    if group.ignored is not None:
        valid &= labels != group.ignored
    both, tokens = min(len(labels), len(ids)), _tensor(ids)
    same = int((valid[:both] & (labels[:both] == tokens[:both])).sum())
    if group.label_kind in ("mlm", "classes") or (group.label_kind == "same" and same == int(valid.sum())):
        return valid
    ahead = int((valid[: both - 1] & (labels[: both - 1] == tokens[1:both])).sum())
    if ahead > same or (ahead == same and group.label_kind == "shifted"):
        return torch.cat([torch.zeros(1, dtype=torch.bool), valid[:-1]])
    return valid


def _tensor(numbers: array[int]) -> Any:
    import torch

    return torch.frombuffer(numbers, dtype=torch.int32) if numbers else torch.zeros(0, dtype=torch.int32)


def lengths_apart(
    trace: SampleTrace, sample: SampleId | None, source: Source, roles: Mapping[str, str]
) -> LengthsApart | None:
    """Return the lengths of the fields that belong to a sample's token ids, where they differ."""
    ids = trace.sequences.get(source.tokens)
    if ids is None:
        return None
    texts = [path for path in trace.sequences if path == source.tokens or roles.get(path) == "token_ids"]
    found = {source.tokens: len(ids)}
    for path, one in trace.sequences.items():
        if path == source.tokens or roles.get(path) not in BESIDE:
            continue
        mine = belongs(path, source.tokens, texts)
        certain = mine or (mine is None and len(texts) == 1)
        if certain and _repeats_or_marks(path, one, ids, roles):
            found[path] = len(one)
    return LengthsApart(sample, found) if len(set(found.values())) > 1 else None


def _repeats_or_marks(path: str, one: array[int], ids: array[int], roles: Mapping[str, str]) -> bool:
    """Labels that repeat the ids (at their place or the next), and any mask or position."""
    if roles.get(path) != "labels" or len(one) == len(ids):
        return True
    for shift in (0, 1):
        pairs = [(label, token) for label, token in zip(one, ids[shift:], strict=False) if label >= 0]
        alike = [label for label, token in pairs if label == token]
        # Two texts that are both padded with one id are alike there, and nowhere else.
        if len(pairs) >= 4 and len(alike) > 0.75 * len(pairs) and len(set(alike)) >= 4:
            return True
    return False


def batch_lengths_apart(leaves: Mapping[str, Any], group: Any, roles: Mapping[str, str]) -> dict[str, int]:
    """Return widths of the flat fields of a batch that should be as wide as the ids and are not."""
    ids: Any = leaves.get(group.tokens)
    if getattr(ids, "ndim", 0) != 2 or group.decoder:
        return {}
    texts = [path for path in leaves if path == group.tokens or roles.get(path) == "token_ids"]
    found = {group.tokens: int(ids.shape[1])}
    for path, leaf in leaves.items():
        flat = attribute(leaf, "ndim", 0) == 2 and leaf.shape[0] == ids.shape[0]
        if not flat or roles.get(path) not in BESIDE or leaf.is_floating_point():
            continue
        if _of_text(path, leaf, group.tokens, ids, texts, roles[path]):
            found[path] = int(leaf.shape[1])
    return found if len(set(found.values())) > 1 else {}


def _of_text(path: str, leaf: Any, tokens: str, ids: Any, texts: Sequence[str], role: str) -> bool:
    """Whether a field of a batch is of the text at `tokens`: by its name, or else by what it holds."""
    mine = belongs(path, tokens, texts)
    if mine is False:
        return False
    if leaf.shape[1] == ids.shape[1]:
        return mine is True or len(texts) == 1
    if role == "labels":  # those of an encoder-decoder batch are another text
        return (mine is True or len(texts) == 1) and repeats(leaf, ids)
    if mine is True and (stem(tokens) or path.rpartition("_")[0] == tokens.rpartition("_")[0]):
        return True
    # A mask of another width may belong to sound or pixels.
    near = abs(int(leaf.shape[1]) - int(ids.shape[1])) <= NEAR
    return pads_alike(leaf, ids) or (near and (mine is True or len(texts) == 1))
