"""What the names of one file stand for, as its imports say."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """The full names that a file's own names stand for."""

    full: dict[str, str]
    """Local name to dotted name: ``DL`` to ``torch.utils.data.DataLoader``."""

    @classmethod
    def of(cls, tree: ast.Module) -> Names:
        """Read the imports of a file, those inside functions too."""
        full: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    head = alias.name.partition(".")[0]
                    full[alias.asname or head] = alias.name if alias.asname else head
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    full[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
        return cls(full)

    def dotted(self, node: ast.AST | None) -> str:
        """Return the dotted name that an expression is, imports followed; empty for anything else."""
        if isinstance(node, ast.Subscript):  # DataLoader[int]
            return self.dotted(node.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):  # an annotation in quotes
            try:
                return self.dotted(ast.parse(node.value, mode="eval").body)
            except (SyntaxError, ValueError, RecursionError):
                return ""
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            return f"{owner}.{node.attr}" if owner else node.attr
        return self.full.get(node.id, node.id) if isinstance(node, ast.Name) else ""

    def last(self, node: ast.AST | None) -> str:
        """Return the last part of that name."""
        return self.dotted(node).rpartition(".")[2]
