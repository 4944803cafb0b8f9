"""Let a command take option groups: dataclasses whose fields are options, or further groups."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints


def grouped(command: Callable[..., int]) -> Callable[..., int]:
    """Return the command with each parameter that is an option group spread into its options."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            parameters += _spread(hints[name])
        else:
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(kind=keyword, annotation=hints[name]))

    def call(**values: Any) -> int:
        return command(
            **{
                name: _fill(hints[name], values) if is_dataclass(hints[name]) else values[name]
                for name in hints
                if name != "return"
            }
        )

    call.__name__, call.__doc__ = command.__name__, command.__doc__
    call.__annotations__ = {}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    return call


def _spread(group: Any) -> Iterator[inspect.Parameter]:
    """Yield the options of a group, and of the groups in it."""
    hints = get_type_hints(group, include_extras=True)
    for option in fields(group):
        hint = hints[option.name]
        if is_dataclass(hint):
            yield from _spread(hint)
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            yield inspect.Parameter(option.name, kind, default=option.default, annotation=hint)


def _fill(group: Any, values: dict[str, Any]) -> Any:
    """Return the group with the values that its options were given."""
    hints = get_type_hints(group)
    return group(
        **{
            option.name: _fill(hints[option.name], values)
            if is_dataclass(hints[option.name])
            else values[option.name]
            for option in fields(group)
        }
    )
