"""The doctor for PyTorch data pipelines."""

__version__ = "0.1.0"

__all__ = ["assert_healthy", "checkup"]


def __getattr__(name: str) -> object:
    """Return a public function; what it needs is imported when it is asked for, so that this import is free."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("dldoctor.in_python"), name)
    raise AttributeError(f"module 'dldoctor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
