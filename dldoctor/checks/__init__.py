"""WHAT IT MEANS: one fault a file, named after what is wrong. All are listed here, in order."""

from __future__ import annotations

from dldoctor.checks.base import Case, Check
from dldoctor.checks.budget_missed import BudgetMissed
from dldoctor.checks.channel_mix import ChannelMix
from dldoctor.checks.collate_drops_field import CollateDropsField
from dldoctor.checks.collate_failed import CollateFailed
from dldoctor.checks.constant_sample import ConstantSample
from dldoctor.checks.dtype_varies import DtypeVaries
from dldoctor.checks.empty_text import EmptyText
from dldoctor.checks.float64_field import Float64Field
from dldoctor.checks.incomplete_members import IncompleteMembers
from dldoctor.checks.index_ignored import IndexIgnored
from dldoctor.checks.length_mismatch import LengthMismatch
from dldoctor.checks.loader_hang import LoaderHang
from dldoctor.checks.mutates_storage import MutatesStorage
from dldoctor.checks.negative_index import NegativeIndex
from dldoctor.checks.no_batches import NoBatches
from dldoctor.checks.no_index_error import NoIndexError
from dldoctor.checks.non_finite import NonFinite
from dldoctor.checks.none_sample import NoneSample
from dldoctor.checks.outlier_size import OutlierSize
from dldoctor.checks.padding_waste import PaddingWaste
from dldoctor.checks.prefetch_memory import PrefetchMemory
from dldoctor.checks.sample_failed import SampleFailed
from dldoctor.checks.sample_substituted import SampleSubstituted
from dldoctor.checks.shape_varies import ShapeVaries
from dldoctor.checks.shm_too_small import ShmTooSmall
from dldoctor.checks.silent_stop import SilentStop
from dldoctor.checks.structure_varies import StructureVaries
from dldoctor.checks.tail_batch_of_one import TailBatchOfOne
from dldoctor.checks.worker_died import WorkerDied

CHECKS: tuple[Check, ...] = (
    BudgetMissed(),
    LengthMismatch(),
    NoIndexError(),
    NegativeIndex(),
    SilentStop(),
    SampleFailed(),
    NoneSample(),
    StructureVaries(),
    ShapeVaries(),
    DtypeVaries(),
    CollateFailed(),
    CollateDropsField(),
    NoBatches(),
    TailBatchOfOne(),
    SampleSubstituted(),
    IndexIgnored(),
    MutatesStorage(),
    NonFinite(),
    ConstantSample(),
    EmptyText(),
    Float64Field(),
    OutlierSize(),
    ChannelMix(),
    PaddingWaste(),
    WorkerDied(),
    LoaderHang(),
    IncompleteMembers(),
    ShmTooSmall(),
    PrefetchMemory(),
)
"""Every check, by rule number."""

__all__ = ["CHECKS", "Case", "Check"]
