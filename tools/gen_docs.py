"""Write the pages that are made from code: one a rule, their index, and the command line.

``python tools/gen_docs.py`` writes them, ``--check`` only says which are not current (status 1).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.main import get_command

from dldoctor import rules
from dldoctor.checks import CHECKS, Check
from dldoctor.cli.help import COMMANDS
from dldoctor.cli.main import app
from dldoctor.intent import BUDGETS, FIELD_ROLES

ROOT = Path(__file__).resolve().parent.parent
MADE = "<!-- Made by tools/gen_docs.py; edit the code instead. -->"
FAMILIES = {
    "DL0": "Declared limits",
    "DL1": "The dataset and collate contract",
    "DL2": "Values and dirty data",
    "DL3": "Text, labels and packing",
    "DL4": "Alignment of modalities",
    "DL5": "Workers and randomness",
    "DL6": "Coverage and sharding",
    "DL7": "Speed",
    "DL8": "Memory and resources",
    "DL9": "The machine",
}


def main() -> int:
    """Write the pages, or with ``--check`` compare them; return the exit status."""
    check_only = sys.argv[1:] == ["--check"]
    wanted = dict(pages())
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    unknown = [path for path in (ROOT / "docs" / "rules").glob("*.md") if path not in wanted]
    if not check_only:
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], "utf-8")
    for path in stale:
        print(f"{'not current' if check_only else 'written'}: {path.relative_to(ROOT)}")
    for path in unknown:
        print(f"belongs to no rule: {path.relative_to(ROOT)}")
    if check_only and stale:
        print("run `make docs`")
    return 1 if unknown or (check_only and stale) else 0


def pages() -> Iterator[tuple[Path, str]]:
    """Yield each page that is made from code, with its text."""
    for check in CHECKS:
        yield ROOT / "docs" / "rules" / f"{check.name}.md", rule_page(check)
    yield ROOT / "docs" / "rules" / "README.md", rule_index()
    yield ROOT / "docs" / "cli.md", cli_page()


def rule_page(check: Check) -> str:
    """Return what `dldoctor explain` prints, and the pipeline that the tests plant the fault in."""
    zoo = ROOT / "tests" / "zoo" / f"{check.name.replace('-', '_')}.py"
    example = zoo.read_text("utf-8").strip() if zoo.exists() else "# none yet"
    return (
        f"{rules.page(check)}\n## An example\n\n"
        "The tests run `broken()`, which gives this finding, and its twin, which does not.\n\n"
        f"```python\n{example}\n```\n\n{MADE}\n"
    )


def rule_index() -> str:
    """Return the list of all rules, by family."""
    parts = [
        "# Rules",
        (
            "A level is the highest that the rule may reach; a finding never claims more than its evidence. "
            "`dldoctor explain RULE` prints a page."
        ),
    ]
    for prefix, title in FAMILIES.items():
        family = [check for check in CHECKS if check.rule.startswith(prefix)]
        if not family:
            continue
        rows = ["| rule | name | level | by | finds |", "|---|---|---|---|---|"]
        rows += [
            f"| {one.rule} | [{one.name}]({one.name}.md) | {one.level.value} | {', '.join(one.by)} "
            f"| {rules.summary(one)} |"
            for one in family
        ]
        parts += [f"## {title}", "\n".join(rows)]
    return "\n\n".join([*parts, MADE]) + "\n"


def cli_page() -> str:
    """Return the reference of all commands and options."""
    root = get_command(app)
    context = typer.Context(root, info_name="dldoctor")
    parts = [
        "# The command line",
        "\n".join(f"- [`dldoctor {name}`](#dldoctor-{name}): {text}" for name, text in COMMANDS.items()),
    ]
    for name in COMMANDS:
        command = root.get_command(context, name)  # type: ignore[attr-defined]  # the root is a group
        own = typer.Context(command, info_name=name, parent=context)
        usage = own.get_usage().removeprefix("Usage: ")
        parts += [f"## dldoctor {name}", (command.help or "").strip(), f"```\n{' '.join(usage.split())}\n```"]
        parts += option_tables(command, own)
    parts += [
        "## Budgets",
        "`--budget NAME=VALUE`, or a `budgets` table in the config file. A missed budget is an error (`DL001`).",
        "\n".join(
            ["| name | bounds |", "|---|---|", *(f"| `{key}` | {text} |" for key, text in BUDGETS.items())]
        ),
        "## Field roles",
        "`--field ROLE=PATH`, or a `fields` table in the config file: "
        + ", ".join(f"`{role}`" for role in FIELD_ROLES)
        + ".",
        MADE,
    ]
    return "\n\n".join(parts) + "\n"


def option_tables(command: typer.core.TyperCommand, context: typer.Context) -> Iterator[str]:
    """Yield a heading and a table for each group of options."""
    groups: dict[str, list[str]] = {}
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record is None or "--help" in option.opts:
            continue
        kind = "Arguments" if option.param_type_name == "argument" else "Options"
        group = getattr(option, "rich_help_panel", None) or kind
        name, text = (part.replace("|", "\\|") for part in record)
        groups.setdefault(group, []).append(f"| `{name}` | {text} |")
    for title, rows in groups.items():
        yield f"### {title}"
        yield "\n".join(["| option | meaning |", "|---|---|", *rows])


if __name__ == "__main__":
    sys.exit(main())
