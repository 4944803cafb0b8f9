"""The perturbation test: change the documents before, and watch the logits of the last one."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from dldoctor.child.fork import RunDiedError
from dldoctor.child.session import Session
from dldoctor.evidence.labels import LabelGroup, Leak
from dldoctor.foreign import attribute, has
from dldoctor.probes.labels.forked import asked_aside

LONGEST = 512
"""Positions of the row that the model is run on."""
HIDDEN, HEADS = 64, 2
SIZES = {
    "hidden_size": HIDDEN, "n_embd": HIDDEN, "d_model": HIDDEN, "intermediate_size": 2 * HIDDEN, "n_inner": 2 * HIDDEN,
    "num_hidden_layers": 2, "n_layer": 2, "num_layers": 2, "num_attention_heads": HEADS, "n_head": HEADS,
    "num_key_value_heads": HEADS, "head_dim": HIDDEN // HEADS,
}  # fmt: skip
"""Sizes of the tiny copy that is made of a model with a config."""


def perturb(
    session: Session, model: Any, leaves: Mapping[str, Any], group: LabelGroup, documents: Any, row: int
) -> Leak | None:
    """Return how much the last document of a row depends on those before it; tried in a fork."""
    try:
        found = asked_aside(session, lambda: _tried(model, leaves, group, documents, row))
    except RunDiedError as died:
        session.cut(f"the model test ended early: {str(died).splitlines()[-1] if str(died) else died.code}")
        return None
    return None if found is None else Leak(**found)


def _tried(model: Any, leaves: Mapping[str, Any], group: LabelGroup, documents: Any, row: int) -> Any:
    import torch

    torch.manual_seed(0)
    tiny, built = _tiny(model)
    tiny.eval()
    inputs = {
        path.rpartition(".")[2]: leaf[row : row + 1, ..., :LONGEST] if leaf.ndim == 2 else leaf
        for path, leaf in leaves.items()
        if path in (group.tokens, group.mask, group.positions) and has(leaf, "ndim") and path
    }
    name = group.tokens.rpartition(".")[2]
    numbers = documents[row, : inputs[name].shape[-1]]
    last = int(numbers.max())
    if last < 2:
        return None
    size = int(inputs[name].max()) + 1
    before, own = numbers < last, numbers == last
    changed = dict(inputs)
    ids = inputs[name].clone()
    ids[0, before & (numbers > 0)] = (ids[0, before & (numbers > 0)] + 1) % size
    changed[name] = ids
    with torch.no_grad():
        one, other = _logits(tiny, inputs), _logits(tiny, changed)
    change = float((one[0, own] - other[0, own]).abs().max())
    attention = str(attribute(getattr(tiny, "config", None), "_attn_implementation", "") or "")
    return {
        "model": type(model).__qualname__,
        "built": built,
        "change": change,
        "documents": last,
        "attention": attention,
    }


def _tiny(model: Any) -> tuple[Any, str]:
    """Return a small model of the same kind where it is built from a config, else the model itself."""
    config = getattr(model, "config", None)
    if config is None or not has(type(config), "from_dict"):
        return model, "given"
    small = copy.deepcopy(config)
    for name, value in SIZES.items():
        if isinstance(getattr(small, name, None), int):
            setattr(small, name, value)
    for name in ("layer_types",):
        if isinstance(getattr(small, name, None), list):
            setattr(small, name, getattr(small, name)[:2])
    try:
        made = type(model)(small)
    except Exception:  # noqa: BLE001 - the user's model class; then the model itself is used
        return model, "given"
    return made, "from config"


def _logits(model: Any, inputs: Mapping[str, Any]) -> Any:
    try:
        out = model(**inputs)
    except TypeError:
        out = model(next(iter(inputs.values())))
    found = getattr(out, "logits", out)
    return (found[0] if isinstance(found, tuple) else found).float()
