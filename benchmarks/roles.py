"""How many fields of batches of real trainers' forms are told right, with their names and with all keys renamed.

``python benchmarks/roles.py`` prints both shares, what is wrong, and how often a wrong role is called certain.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.roles.judged import judged


def main() -> None:
    """Print one line for each of the two ways."""
    for renamed in (False, True):
        leaves = list(judged(renamed=renamed))
        right, certain = sum(one.right for one in leaves), sum(one.wrong_and_certain for one in leaves)
        print(
            f"{'keys renamed' if renamed else 'with names'}: {right} of {len(leaves)} roles right "
            f"({100 * right / len(leaves):.1f}%), {certain} wrong and certain"
        )
        for one in leaves:
            if not one.right:
                got = "nothing" if one.got is None else f"{one.got.role} ({one.got.confidence:.2f})"
                print(f"  {one.form} `{one.path}`: {got} in place of {one.true}")


if __name__ == "__main__":
    main()
