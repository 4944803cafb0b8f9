"""``python -m dldoctor`` is the command line."""

from __future__ import annotations

from dldoctor.cli.main import main

if __name__ == "__main__":
    main()
