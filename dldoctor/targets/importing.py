"""Import the user's file or module so that workers started afresh find it too."""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType

from dldoctor.errors import TargetError, nearest
from dldoctor.foreign import attribute
from dldoctor.targets.address import Address
from dldoctor.targets.import_safety import refuse_scripts
from dldoctor.targets.notebook import code_up_to, is_notebook
from dldoctor.targets.user_code import run_user_code, shown


def import_holder(address: Address, *, allow_script: bool = False, main: bool = True) -> ModuleType:
    """Import the file or module of an address, after a look at its source.

    `main` is false for what an option names beside the target: it is found, but comes after the
    target's own folder and does not change ``sys.argv``.
    """
    if address.file is not None and is_notebook(address.file):
        return import_notebook(address.file, address.name, allow_script=allow_script, main=main)
    if address.file is not None:
        return import_file(address.file, allow_script=allow_script, main=main)
    assert address.module is not None
    return import_module(address.module, allow_script=allow_script, main=main)


def import_file(path: Path, *, allow_script: bool = False, main: bool = True) -> ModuleType:
    """Import a file under its own stem, as ``python file.py`` would see its surroundings.

    A file inside a package is imported as a part of it, so that its relative imports work. The module
    keeps a name that an import finds, because spawned workers look it up by that name.
    """
    path = path.resolve()
    if not allow_script:
        refuse_scripts(path)
    root, name = _package_of(path)
    put_first(str(root), main=main)
    if root != path.parent:
        # `python pkg/file.py` also sees the file's neighbours. Last, because a package often has a
        # `types.py` or `io.py` that must not stand in for the standard one.
        _put_last(str(path.parent))
    if main:
        sys.argv = [str(path)]
    return run_user_code(f"importing {shown(path)}", lambda: _import_path(path, root, name))


def import_notebook(
    path: Path, name: str | None, *, allow_script: bool = False, main: bool = True
) -> ModuleType:
    """Run the cells of a notebook up to the one that defines the name, as a module beside its file.

    The module is in memory alone: as in Jupyter, workers that are started afresh cannot import it.
    """
    path = path.resolve()
    if not allow_script:
        refuse_scripts(path, name)
    source = code_up_to(path, name)
    put_first(str(path.parent), main=main)
    if main:
        sys.argv = [str(path)]
    # Not under its stem: `train.ipynb` often imports from a `train.py` beside it.
    called = f"{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_notebook"
    called = called if called[0].isalpha() else f"_{called}"
    loaded = sys.modules.get(called)
    if loaded is not None and _is_from(loaded, path) and (name or "").partition(".")[0] in vars(loaded):
        return loaded
    module = ModuleType(called)
    module.__file__ = str(path)
    # For whoever asks for source by file and line; without a time, it is never read again from the file.
    linecache.cache[str(path)] = (len(source), None, source.splitlines(keepends=True), str(path))
    sys.modules[called] = module
    run_user_code(f"running {shown(path)}", lambda: exec(compile(source, str(path), "exec"), vars(module)))  # noqa: S102
    return module


def import_module(name: str, *, allow_script: bool = False, main: bool = True) -> ModuleType:
    """Import a module by name, with the working directory on the path as ``python -m`` has it."""
    put_first(str(Path.cwd()), main=main)
    spec = run_user_code(f"importing {name}", lambda: _find_spec(name))
    if spec is None:
        raise TargetError(f"no module `{name}`{_nearest_module(name)}")
    if spec.origin and spec.origin.endswith(".py"):
        if not allow_script:
            refuse_scripts(Path(spec.origin))
        if main:
            sys.argv = [spec.origin]
    return run_user_code(f"importing {name}", lambda: importlib.import_module(name))


def _package_of(path: Path) -> tuple[Path, str]:
    """Return the folder that must be on the path, and the dotted name of the file seen from it."""
    root = package_root(path.parent)
    parts = path.parent.relative_to(root).parts
    return root, ".".join(parts if path.name == "__init__.py" else (*parts, path.stem))


def _import_path(path: Path, root: Path, name: str) -> ModuleType:
    importlib.invalidate_caches()
    loaded = sys.modules.get(name)
    if loaded is not None and _is_from(loaded, path):
        return loaded
    if loaded is None and "." not in path.stem:
        spec = _find_spec(name)
        if spec is not None and spec.origin and Path(spec.origin).resolve() == path:
            return importlib.import_module(name)
    return _import_beside(path, root)


def _import_beside(path: Path, root: Path) -> ModuleType:
    """Import a file whose name another module already has (``types.py``, ``statistics.py``).

    Seen from the folder above, as part of a namespace package, it has a name of its own that
    spawned workers find as well.
    """
    if "." not in path.stem and "." not in root.name and root == path.parent and root.name:
        name = f"{root.name}.{path.stem}"
        loaded = sys.modules.get(name)
        if loaded is not None and _is_from(loaded, path):
            return loaded
        _put_last(str(root.parent))
        parent = _find_spec(root.name)
        if parent is not None and parent.origin is None:
            spec = _find_spec(name)
            if spec is not None and spec.origin and Path(spec.origin).resolve() == path:
                return importlib.import_module(name)
    return _load_under(path, f"{path.stem.replace('.', '_')}_target")


def _load_under(path: Path, name: str) -> ModuleType:
    """Load a file under an invented name: the last resort, which workers that are spawned cannot find."""
    loaded = sys.modules.get(name)
    if loaded is not None and _is_from(loaded, path):
        return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{shown(path)} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_from(module: ModuleType, path: Path) -> bool:
    file = attribute(module, "__file__", None)
    return isinstance(file, str) and Path(file).resolve() == path


def _find_spec(name: str) -> importlib.machinery.ModuleSpec | None:
    """Find a module without importing it (its parent packages are imported)."""
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        # A parent that does not exist is "not found"; an import that fails inside one is not.
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            return None
        raise
    except ValueError:
        # Modules such as `__main__` have no spec.
        return None


def _nearest_module(name: str) -> str:
    """Return the nearest name for the first part of a dotted name that does not exist."""
    parts = name.split(".")
    for i, part in enumerate(parts):
        head = ".".join(parts[:i])
        if _find_spec(".".join(parts[: i + 1])) is not None:
            continue
        if not head:
            known = {m.name for m in pkgutil.iter_modules([str(Path.cwd())])} | set(sys.modules)
            return nearest(part, sorted(k for k in known if "." not in k))
        package = sys.modules.get(head)
        if package is not None and not hasattr(package, "__path__"):
            return f"; write `{head}:{'.'.join(parts[i:])}`"
        below = [m.name for m in pkgutil.iter_modules(getattr(package, "__path__", []))]
        # Compared without what is right already, then named in full.
        return nearest(part, below).replace("mean `", f"mean `{head}.")
    return ""


def package_root(folder: Path) -> Path:
    """Return the folder from which a folder's modules are imported: the first above that is no package."""
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def put_first(folder: str, *, main: bool) -> None:
    """Let the user's modules be found there, before all others where it is the target's own folder."""
    if main and sys.path[:1] != [folder]:
        sys.path.insert(0, folder)
    elif not main and folder not in sys.path:
        sys.path.insert(1, folder)


def _put_last(folder: str) -> None:
    if folder not in sys.path:
        sys.path.append(folder)
