"""The generators of random numbers that a pipeline draws from: the global ones, and those it keeps."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Iterable
from typing import Any

from dldoctor.foreign import attribute
from dldoctor.probes.behaviour.graph import Found, walk

State = dict[str, Any]


def private_generators(starts: Iterable[Found]) -> dict[str, Any]:
    """Return path to generator of all that the objects keep for themselves."""
    return {path: value for path, value in walk(starts) if is_generator(value)}


def is_generator(value: Any) -> bool:
    """Whether an object is a generator with a state of its own."""
    if isinstance(value, random.Random) and not isinstance(value, random.SystemRandom):
        return True
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and isinstance(value, (numpy.random.Generator, numpy.random.RandomState)):
        return value is not attribute(numpy.random.mtrand, "_rand", None)
    return torch is not None and isinstance(value, torch.Generator) and value is not torch.default_generator


def state_of(generator: Any) -> Any:
    """Return a copy of a generator's state."""
    if isinstance(generator, random.Random):
        return generator.getstate()
    if hasattr(generator, "bit_generator"):
        return generator.bit_generator.state
    return generator.get_state()


def origin_of(generator: Any) -> Any:
    """Return what a generator was seeded with, as far as it still tells: equal however much was drawn."""
    if isinstance(generator, random.Random):
        return generator.getstate()[1][:-1]  # the last number is the place in the others
    bits = getattr(generator, "bit_generator", None)
    if bits is not None:
        seed = getattr(bits, "seed_seq", None)
        if seed is None or seed.entropy is None:
            return bits.state
        return type(bits).__name__, seed.entropy, seed.spawn_key
    if hasattr(generator, "initial_seed"):
        return generator.initial_seed()
    return generator.get_state()[1]


def global_origins() -> State:
    """Return what the generators that whole libraries share were seeded with."""
    import torch

    found: State = {"random": random.getstate()[1][:-1], "torch": torch.initial_seed()}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        found["numpy"] = numpy.random.get_state()[1]
    return found


def restore(generator: Any, state: Any) -> None:
    """Put a state back."""
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif hasattr(generator, "bit_generator"):
        generator.bit_generator.state = state
    else:
        generator.set_state(state)


def mark_of(state: Any) -> str:
    """Return a short text that is equal for equal states."""
    if hasattr(state, "numpy") and hasattr(state, "dtype"):
        raw = bytes(state.tolist())
    else:
        raw = repr(_listed(state)).encode()
    return hashlib.blake2b(raw, digest_size=6).hexdigest()


def _listed(state: Any) -> Any:
    # An array's repr leaves out its middle, where two states may differ.
    if hasattr(state, "tolist"):
        return state.tolist()
    if isinstance(state, dict):
        return {key: _listed(value) for key, value in state.items()}
    return [_listed(item) for item in state] if isinstance(state, (tuple, list)) else state


def global_states() -> State:
    """Return the states of the generators that whole libraries share."""
    import torch

    found: State = {"random": random.getstate(), "torch": torch.get_rng_state()}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        found["numpy"] = numpy.random.get_state()
    return found


def restore_globals(states: State) -> None:
    """Put the states of the global generators back."""
    import torch

    random.setstate(states["random"])
    torch.set_rng_state(states["torch"])
    if "numpy" in states:
        sys.modules["numpy"].random.set_state(states["numpy"])


def shown_states(states: State) -> dict[str, str]:
    """Return each global state as text: what can be recognised of the seed, and a mark of the whole."""
    shown = {name: mark_of(state) for name, state in states.items()}
    if "numpy" in states:
        shown["numpy"] = f"{int(states['numpy'][1][0])} ({shown['numpy']})"
    return shown


def reseed(generator: Any, seed: int) -> None:
    """Put a generator into the state that a seed gives, whatever it was seeded with."""
    if isinstance(generator, random.Random):
        generator.seed(seed)
    elif hasattr(generator, "bit_generator"):
        generator.bit_generator.state = type(generator.bit_generator)(seed).state
    elif hasattr(generator, "manual_seed"):
        generator.manual_seed(seed)
    else:
        generator.seed(seed)


def pinned(seed: int, generators: dict[str, Any], read: Callable[[], Any]) -> Any:
    """Read with global generators and `generators` seeded alike, and leave all of them as they were."""
    from dldoctor.probes.digest import pin

    before, own = global_states(), {path: state_of(one) for path, one in generators.items()}
    pin(seed)
    for one in generators.values():
        reseed(one, seed)
    try:
        return read()
    finally:
        restore_globals(before)
        for path, one in generators.items():
            restore(one, own[path])
