"""Hydra: a node of a composed configuration that says what to make (``_target_``).

``hydra:DIR/NAME[@node]``; ``-k data.batch_size=8`` overrides the configuration.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dldoctor.errors import TargetError, nearest
from dldoctor.targets.address import Address
from dldoctor.targets.importing import package_root, put_first
from dldoctor.targets.user_code import run_user_code, shown

_TELLING = ("loader", "dataset", "datamodule", "data_module", "datapipe", "pipeline")
_NAMED = 6


def made_from_config(address: Address, overrides: tuple[str, ...]) -> Any:
    """Return what the node of a configuration makes, or a dict of what its parts make, none made yet.

    Raises:
        TargetError: Hydra is missing, the configuration does not compose, or its node makes nothing.
    """
    config = address.config
    assert config is not None
    folder = config.parent
    try:
        import hydra
    except ImportError as error:
        raise TargetError(
            f"`{address.holder}` needs Hydra, which {sys.executable} does not have; `pip install hydra-core` "
            "there, or name a Python file"
        ) from error
    # A script stands beside its folder of configurations, and imports as Python does from there.
    put_first(os.getcwd(), main=True)
    put_first(str(package_root(folder.parent)), main=True)
    whole = run_user_code(f"composing {shown(config)}", lambda: _composed(folder, config.stem, overrides))
    node = _node(whole, address)
    make = functools.partial(hydra.utils.instantiate, _convert_="object")
    if _makes(node):
        return run_user_code(f"making `{address.holder}`", lambda: make(node))
    found = {str(key): _at(node, key) for key in node} if address.name and hasattr(node, "keys") else {}
    parts = {key: value for key, value in found.items() if _makes(value)}
    if not parts:
        raise TargetError(
            f"`{address.holder}` makes nothing: it has no `_target_`{_nodes_that_do(whole, address)}"
        )
    return Parts({key: functools.partial(_part, make, value, address, key) for key, value in parts.items()})


class Parts(dict[str, Callable[[], Any]]):
    """What makes each part of a node, by its key."""


def _part(make: Callable[[Any], Any], node: Any, address: Address, key: str) -> Any:
    return run_user_code(f"making `{key}` of `{address.holder}`", lambda: make(node))


def _composed(folder: Path, name: str, overrides: tuple[str, ...]) -> Any:
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import open_dict

    GlobalHydra.instance().clear()
    with initialize_config_dir(config_dir=str(folder), version_base=None):
        config = compose(name, overrides=[_override(one) for one in overrides], return_hydra_config=True)
    with open_dict(config):
        # What a run would set; configurations refer to it for their paths.
        config.hydra.runtime.cwd = os.getcwd()
        config.hydra.runtime.output_dir = os.getcwd()
    HydraConfig.instance().set_config(config)
    with open_dict(config):
        del config["hydra"]
    return config


def _override(text: str) -> str:
    key, _, value = text.partition("=")
    return f"{key}=null" if value == "None" else text


def _node(whole: Any, address: Address) -> Any:
    node = whole
    for part in (address.name or "").split(".") if address.name else ():
        keys = [str(key) for key in node] if hasattr(node, "keys") else []
        if part not in keys:
            raise TargetError(f"no `{part}` in `{address.holder}`{nearest(part, keys)}")
        node = _at(node, part)
    return node


def _at(node: Any, key: Any) -> Any:
    """Return what a node has under a key; null where that is missing or refers to what is."""
    from omegaconf import OmegaConf

    if OmegaConf.is_missing(node, key):
        return None
    return OmegaConf.select(node, str(key), throw_on_resolution_failure=False)


def _makes(node: Any) -> bool:
    return hasattr(node, "keys") and "_target_" in node


def _nodes_that_do(whole: Any, address: Address) -> str:
    found = list(_paths(whole, ""))
    telling = [path for path, target in found if any(word in target.lower() for word in _TELLING)]
    listed = (telling or [path for path, _ in found])[:_NAMED]
    if not listed:
        return ""
    base = address.holder.partition("@")[0]
    return f"; name a node that has one, as in `{base}@{listed[0]}`" + (
        f" (also {', '.join(listed[1:])})" if len(listed) > 1 else ""
    )


def _paths(node: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of the nodes that make something, and what they make."""
    if not hasattr(node, "keys"):
        return
    if path and "_target_" in node:
        yield path, str(node["_target_"])
        return
    for key in node:
        yield from _paths(_at(node, key), f"{path}.{key}" if path else str(key))
