"""Change which samples a DataLoader draws, and how many go into a batch."""

from __future__ import annotations

import inspect
from typing import Any

from dldoctor.errors import TargetError
from dldoctor.foreign import has
from dldoctor.intent import LoaderOptions
from dldoctor.targets.arguments import missing_arguments
from dldoctor.targets.collate import is_default_collate
from dldoctor.targets.named_object import find_object
from dldoctor.targets.user_code import run_user_code

_OPTIONS = ("batch_size", "sampler", "shuffle", "drop_last")


def set_batches(state: dict[str, Any], options: LoaderOptions, *, allow_script: bool = False) -> None:
    """Make sampler and batch sampler anew in a loader's ``vars()``, what was not given kept as it is."""
    from torch.utils.data import BatchSampler, default_collate

    if all(getattr(options, name) is None for name in _OPTIONS):
        return
    sampler, batch_size, drop_last = _present(state, options)
    sampler = _wanted_sampler(state, sampler, options, allow_script=allow_script)
    if isinstance(sampler, BatchSampler):
        if options.batch_size is not None or options.drop_last is not None:
            raise TargetError("`--sampler` names a batch sampler; drop `--batch-size` and `--drop-last`")
        state.update(batch_sampler=sampler, sampler=sampler.sampler, batch_size=None, drop_last=False)
        return
    batch_size = options.batch_size if options.batch_size is not None else batch_size
    drop_last = bool(options.drop_last if options.drop_last is not None else drop_last)
    if batch_size is None:
        if drop_last:
            raise TargetError(
                "`--drop-last` needs a batch size, and this loader has none; add `--batch-size`"
            )
        state.update(batch_sampler=None, sampler=sampler)
        return
    if state["batch_sampler"] is None and is_default_collate(state["collate_fn"]):
        # Until now each item was a batch of its own and was only converted.
        state["collate_fn"] = default_collate
    fresh = BatchSampler(sampler, batch_size, drop_last)
    state.update(batch_sampler=fresh, sampler=sampler, batch_size=batch_size, drop_last=drop_last)


def _present(state: dict[str, Any], options: LoaderOptions) -> tuple[Any, int | None, bool]:
    """Return the sampler, batch size and `drop_last` that are in force."""
    from torch.utils.data import BatchSampler

    old = state["batch_sampler"]
    if type(old) is BatchSampler:
        return old.sampler, old.batch_size, old.drop_last
    if old is None or state["batch_size"] is not None:
        return state["sampler"], state["batch_size"], state["drop_last"]
    if options.sampler is None and options.shuffle is None:
        raise TargetError(
            f"the loader has a batch sampler of its own, {type(old).__name__}, which decides size and order "
            "of the batches; replace it with `--sampler` or `--shuffle`"
        )
    size = getattr(old, "batch_size", None)
    return state["sampler"], size if isinstance(size, int) else 1, False


def _wanted_sampler(
    state: dict[str, Any], present: Any, options: LoaderOptions, *, allow_script: bool
) -> Any:
    from torch.utils.data import IterableDataset, RandomSampler, SequentialSampler

    dataset = state["dataset"]
    if isinstance(dataset, IterableDataset):
        given = "--sampler" if options.sampler is not None else "--shuffle" if options.shuffle else None
        if given is not None:
            name = type(dataset).__name__
            raise TargetError(f"{name} is a stream without indices, so `{given}` cannot apply; drop it")
        return present
    if options.sampler is not None:
        return sampler_by_option(options.sampler, dataset, allow_script=allow_script)
    if options.shuffle is None:
        return present
    length = run_user_code(f"taking the length of {type(dataset).__name__}", lambda: len(dataset))
    if options.shuffle and length > 0:
        return RandomSampler(dataset, generator=state["generator"])
    # torch refuses to shuffle nothing; that the dataset is empty is told when it is read.
    return SequentialSampler(dataset)


def sampler_by_option(text: str, dataset: Any, *, allow_script: bool = False) -> Any:
    """Return the named sampler; a class or function is called, with the dataset where it takes one."""
    found = find_object(text, option="--sampler", allow_script=allow_script)
    if inspect.isclass(found) or (callable(found) and not has(type(found), "__iter__")):
        missing = missing_arguments(found, frozenset())
        if missing is not None and len(missing) > 1:
            raise TargetError(
                f"`--sampler {text}` needs {', '.join(f'`{m}`' for m in missing)}; name a sampler, or a "
                "function that takes at most the dataset"
            )
        make = found
        found = run_user_code(f"calling `{text}`", lambda: make(dataset) if missing else make())
    if not has(type(found), "__iter__"):
        raise TargetError(f"`--sampler {text}` gives a {type(found).__name__}, which cannot be iterated")
    return found
