"""Tells whether two reads gave the same content."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from dldoctor.probes.look import as_tensor
from dldoctor.roles.flatten import leaves

WHOLE_BYTES = 4 * 2**20
"""Larger leaves are compared by evenly spread elements."""


def digests(sample: Any) -> dict[str, str]:
    """Return path to digest of each leaf whose content can be compared."""
    found = {}
    for path, leaf in leaves(sample):
        value = digest(leaf)
        if value is not None:
            found[path] = value
    return found


def digest(leaf: Any) -> str | None:
    """Return a digest of one leaf; None where its content cannot be read."""
    try:
        return _digest(leaf)
    except Exception:  # noqa: BLE001 - an object of the user's that answers no question
        return None


def _digest(leaf: Any) -> str | None:
    if leaf is None or isinstance(leaf, (str, bytes, bool, int, float)):
        return hashlib.blake2b(repr(leaf).encode(errors="replace"), digest_size=12).hexdigest()
    tensor = as_tensor(leaf)
    if tensor is not None:
        return _of_tensor(tensor)
    if isinstance(leaf, (list, tuple)):
        parts = [digest(item) for item in leaf[:10_000]]
        if any(part is None for part in parts):
            return None
        return hashlib.blake2b(repr((len(leaf), parts)).encode(), digest_size=12).hexdigest()
    return None


def _of_tensor(tensor: Any) -> str:
    import torch

    flat = tensor.detach().reshape(-1)
    if flat.numel() * flat.element_size() > WHOLE_BYTES:
        flat = flat[:: max(1, flat.numel() // (WHOLE_BYTES // flat.element_size()))]
    head = f"{tuple(tensor.shape)} {tensor.dtype}".encode()
    raw = flat.contiguous().view(torch.uint8) if flat.numel() else flat
    try:
        body = raw.numpy().tobytes()
    except (RuntimeError, TypeError):  # a torch without numpy
        body = bytes(raw.tolist())
    return hashlib.blake2b(head + body, digest_size=12).hexdigest()


def pin(seed: int) -> None:
    """Set the three generators that users draw from; a private generator is not reached.

    Not by `torch.manual_seed`: on a machine whose devices are not in use that formats a stack for
    each kind of device (7 ms, measured), and keeps it.
    """
    import torch

    random.seed(seed)
    torch.default_generator.manual_seed(seed)
    cuda: Any = torch.cuda
    if cuda.is_initialized():
        cuda.manual_seed_all(seed)
    try:
        import numpy as np
    except ImportError:
        return
    np.random.seed(seed % 2**32)  # noqa: NPY002 - the global generator is what users draw from
