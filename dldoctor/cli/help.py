"""The shape of the command line: commands that load when called, and help that comes at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from typer import Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from dldoctor.errors import nearest

COMMANDS: Final = {
    "checkup": "is this pipeline healthy? everything below within a minute, as one ranked list",
    "dry-run": "what is in the samples and batches: structure, sizes, values, failures, time",
    "profile": "where the time of a sample and of a batch goes, per stage, sample and worker",
    "sweep": "which workers and prefetch keep the consumer busy, and the line to paste",
    "check-labels": "which tokens are trained, padded, masked, packed?",
    "check-alignment": "do image, text, audio, boxes and labels of one row belong together?",
    "check-workers": "does anything change with workers, epochs, seeds or the start method?",
    "check-sharding": "is every item seen once, by one rank and one worker, in a new order each epoch?",
    "watch-memory": "does memory, or do descriptors, grow without end, and who keeps them?",
    "env": "is this machine fit: cores allowed, memory, limits, storage, GPU?",
    "compare": "do train and eval differ where they must not? or: what is new between two saved reports",
    "init": "a first config, from the loaders, tokenizer and trainer in your source",
    "show": "a saved report again, in any format",
    "rules": "all rules that can be judged",
    "explain": "what a rule means, why it hurts, how to cure it",
    "demo": "a look at the tool with no code of your own",
}
"""Every command, with the question that it answers; a command lives in the module of its name."""


class GroupedCommand(TyperCommand):
    """A command whose help lists options under the heading of their group."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write one section a group, in the order in which groups first appear."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if record is not None:
                group = getattr(option, "rich_help_panel", None)
                kind = "Arguments" if option.param_type_name == "argument" else "Options"
                sections.setdefault(group or kind, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


class Root(TyperGroup):
    """The command itself. A command is imported when it is called, so that help need not wait."""

    def list_commands(self, _ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """Return a command by name, or None."""
        if cmd_name not in COMMANDS:
            return None
        # Here, since options take longer to import than all of the root's help takes.
        from dldoctor.cli.options.grouped import grouped

        function = cmd_name.replace("-", "_")
        own = Typer(add_completion=False, rich_markup_mode=None)
        module = import_module(f"dldoctor.cli.{function}")
        own.command(cmd_name, cls=GroupedCommand)(grouped(getattr(module, function)))
        return get_command(own)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first word names; an unknown one is told the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            guess = nearest(args[0], tuple(COMMANDS)) or f"; there is {', '.join(COMMANDS)}"
            ctx.fail(f"no command `{args[0]}`{guess}")
        return super().resolve_command(ctx, args)
