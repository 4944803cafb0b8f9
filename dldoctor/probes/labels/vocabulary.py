"""Finds the user's tokenizer by what it can do, and asks it for its special ids."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dldoctor.foreign import attribute, has
from dldoctor.probes.frames import is_first_party
from dldoctor.probes.labels.reach import reachable

_PAD = ("pad_token_id", "pad_id", "pad_token_idx", "pad_idx")
_EOS = ("eos_token_id", "eos_id", "eot_token", "eot_token_id", "eod", "eod_id", "eos_idx")
_BOS = ("bos_token_id", "bos_id", "sot_token_id", "bos_idx")
_SIZE = ("vocab_size", "n_vocab", "n_words", "get_vocab_size", "get_piece_size")
MOST_GLOBALS = 512
_WORDS = ("image", "img", "vision", "patch", "video", "audio")
_GUESSED = {"pad": ("<pad>", "[PAD]", "<|pad|>", "<|endoftext|>"), "eos": ("</s>", "<eos>", "<|endoftext|>", "<|im_end|>", "[SEP]"),
            "bos": ("<s>", "<bos>", "<|begin_of_text|>", "[CLS]")}  # fmt: skip


@dataclass(frozen=True)
class Tokenizer:
    """What a tokenizer of any library tells of itself."""

    kind: str
    at: str
    pad: int | None = None
    eos: int | None = None
    bos: int | None = None
    size: int | None = None
    special: frozenset[int] = frozenset()
    placeholders: tuple[int, ...] = ()
    live: Any = field(default=None, compare=False)

    def text(self, token: int) -> str:
        """Return the text of one id; ids that it does not know are shown as what they are."""
        if token < 0 or (self.size is not None and token >= self.size + len(self.special)):
            return f"<id:{token}>"
        return _decoded(self.live, token)

    def ids(self, text: str) -> tuple[int, ...] | None:
        """Return the ids of a text without special tokens around it; None where that fails."""
        for without in ({"add_special_tokens": False}, {"bos": False, "eos": False}, {}):
            try:
                found = self.live.encode(text, **without)
                return tuple(int(one) for one in attribute(found, "ids", found))
            except Exception:  # noqa: BLE001, S112 - the user's tokenizer; the next way is tried
                continue
        return None


def find_tokenizer(pipeline: Any, declared: str | None = None) -> Tokenizer | None:
    """Return the tokenizer that `declared` names (``file.py:name``), or else one that the code holds.

    The first that hangs on the collate, the dataset or the loader is taken, else the only one that the
    user's modules hold.
    """
    if declared is not None:
        from dldoctor.targets.named_object import find_object

        return adapted(_inner(find_object(declared, option="--tokenizer")), "declared")
    inner = pipeline.torch_loader
    starts = [
        ("collate", attribute(inner, "collate_fn", None)),
        ("dataset", pipeline.dataset),
        ("loader", pipeline.loader),
    ]
    for name, start in starts:
        for path, found in reachable(start, name):
            if looks_like_tokenizer(found):
                return adapted(found, path)
    return _of_modules()


def _of_modules() -> Tokenizer | None:
    """Return the one tokenizer that stands in the user's modules; of several nobody knows which is meant.

    What it says of the size of the vocabulary is left out: the rows need not be its own.
    """
    found: dict[int, tuple[str, Any]] = {}
    for module in list(sys.modules.values()):
        file = attribute(module, "__file__", None)
        if not isinstance(file, str) or not is_first_party(file):
            continue
        for name, value in list(vars(module).items())[:MOST_GLOBALS]:
            one = _inner(value) if not isinstance(value, (type, types.FunctionType)) else value
            if looks_like_tokenizer(one):
                found.setdefault(id(one), (f"{module.__name__}.{name}", one))
    # A bare model of subwords and the tokenizer around it are one: the latter knows its special tokens.
    knowing = [one for one in found.values() if _first(one[1], (*_EOS, *_PAD)) is not None]
    chosen = knowing or list(found.values())
    return replace(adapted(chosen[0][1], chosen[0][0]), size=None) if len(chosen) == 1 else None


def looks_like_tokenizer(one: Any) -> bool:
    """Tell a tokenizer: it encodes, and it knows an end token, its vocabulary or its pieces."""
    kind = type(one)
    if isinstance(one, (types.FunctionType, types.MethodType, functools.partial, dict, list)) or _is_tensor(
        one
    ):
        return False
    own = vars(one) if has(one, "__dict__") else {}
    encodes = any(callable(attribute(kind, name, None)) for name in ("encode", "encode_ordinary", "tokenize"))
    knows = any(
        name in own or has(kind, name)
        for name in (*_EOS, *_PAD, *_SIZE, "token_to_id", "special_tokens", "vocab", "all_special_ids")
    )
    return encodes and knows


def _is_tensor(one: Any) -> bool:
    return any(
        base.__name__ in ("Tensor", "Module") and base.__module__.startswith("torch")
        for base in type(one).__mro__
    )


def _inner(one: Any) -> Any:
    """Return the tokenizer of a processor; a bare function or class is called."""
    if isinstance(one, (types.FunctionType, type)):
        one = one()
    own = vars(one) if has(one, "__dict__") else {}
    inner = own.get("tokenizer")
    return inner if inner is not None and not looks_like_tokenizer(one) else one


def adapted(live: Any, at: str) -> Tokenizer:
    """Ask a tokenizer of any library for its special ids."""
    special = _special(live)
    known = {
        name: found if (found := _first(live, names)) is not None else _guessed(live, name)
        for name, names in (("pad", _PAD), ("eos", _EOS), ("bos", _BOS))
    }
    size = _size(live)
    placeholders = tuple(
        sorted(one for text, one in special.items() if any(word in text.lower() for word in _WORDS)
               and not any(word in text.lower() for word in ("start", "end", "begin", "/")))
    )  # fmt: skip
    kind = f"{type(live).__module__}.{type(live).__qualname__}"
    ids = frozenset(special.values()) | {one for one in known.values() if one is not None}
    return Tokenizer(kind, at, known["pad"], known["eos"], known["bos"], size, ids, placeholders, live)


def _first(live: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        found = _asked(live, name)
        if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
            return found
    return None


def _asked(live: Any, name: str) -> Any:
    """Return an attribute, or what it returns if it is a method without arguments."""
    try:
        found = getattr(live, name, None)
        return found() if callable(found) else found
    except Exception:  # noqa: BLE001 - the user's tokenizer
        return None


def _size(live: Any) -> int | None:
    try:
        return len(live)
    except Exception:  # noqa: BLE001 - most have no length
        found = _first(live, _SIZE)
    if found is None and isinstance(getattr(live, "vocab", None), Mapping):
        ids = [one for one in live.vocab.values() if isinstance(one, int)]
        found = max(ids) + 1 if ids else None
    return found


def _special(live: Any) -> dict[str, int]:
    """Return the special tokens, text to id."""
    found: dict[str, int] = {}
    decoder = _asked(live, "added_tokens_decoder") or _asked(live, "get_added_tokens_decoder")
    if isinstance(decoder, Mapping):
        found |= {str(getattr(text, "content", text)): int(one) for one, text in decoder.items()}
    for table in (_asked(live, "special_tokens"), _asked(live, "_special_tokens")):
        if isinstance(table, Mapping):
            found |= {str(text): one for text, one in table.items() if isinstance(one, int)}
    vocab = getattr(live, "vocab", None)
    if not found and isinstance(vocab, Mapping):
        found |= {
            text: one for text, one in vocab.items()
            if isinstance(text, str) and isinstance(one, int) and len(text) > 2
            and (text[0], text[-1]) in (("<", ">"), ("[", "]"))
        }  # fmt: skip
    return found


def _guessed(live: Any, name: str) -> int | None:
    for method in ("token_to_id", "piece_to_id"):
        ask: Any = getattr(live, method, None)
        for text in _GUESSED[name] if callable(ask) else ():
            try:
                found = ask(text)
            except Exception:  # noqa: BLE001 - the user's tokenizer
                return None
            if isinstance(found, int) and (method == "token_to_id" or found > 0):
                return found
    return None


def _decoded(live: Any, token: int) -> str:
    for call in (
        lambda: live.decode([token], skip_special_tokens=False),
        lambda: live.decode([token]),
        lambda: live.id_to_token(token),
        lambda: live.IdToPiece(token),
        lambda: _inverse(live)[token],
    ):
        try:
            text = call()
        except Exception:  # noqa: BLE001, S112 - the user's tokenizer; the next way is tried
            continue
        if isinstance(text, str):
            return text
    return f"<id:{token}>"


def _inverse(live: Any) -> dict[int, str]:
    return {one: text for text, one in live.vocab.items()}
