"""WHAT IT MEANS: one fault a file, named after what is wrong. All are listed here, in order."""

from __future__ import annotations

from dldoctor.checks.alignment_differs_by_workers import AlignmentDiffersByWorkers
from dldoctor.checks.all_labels_ignored import AllLabelsIgnored
from dldoctor.checks.annotation_size_mismatch import AnnotationSizeMismatch
from dldoctor.checks.base import Case, Check
from dldoctor.checks.batches_retained import BatchesRetained
from dldoctor.checks.big_pickle import BigPickle
from dldoctor.checks.boundary_label_trained import BoundaryLabelTrained
from dldoctor.checks.box_invalid import BoxInvalid
from dldoctor.checks.budget_missed import BudgetMissed
from dldoctor.checks.bursty import Bursty
from dldoctor.checks.channel_mix import ChannelMix
from dldoctor.checks.channel_order import ChannelOrder
from dldoctor.checks.class_imbalance import ClassImbalance
from dldoctor.checks.class_map_differs import ClassMapDiffers
from dldoctor.checks.collate_drops_field import CollateDropsField
from dldoctor.checks.collate_failed import CollateFailed
from dldoctor.checks.collate_misaligned import CollateMisaligned
from dldoctor.checks.columns_dropped import ColumnsDropped
from dldoctor.checks.constant_sample import ConstantSample
from dldoctor.checks.consumer_starved import ConsumerStarved
from dldoctor.checks.copy_on_write_growth import CopyOnWriteGrowth
from dldoctor.checks.coverage_gap import CoverageGap
from dldoctor.checks.cpu_oversubscribed import CpuOversubscribed
from dldoctor.checks.cpu_quota import CpuQuota
from dldoctor.checks.cuda_in_worker import CudaInWorker
from dldoctor.checks.descriptor_leak import DescriptorLeak
from dldoctor.checks.double_special import DoubleSpecial
from dldoctor.checks.dtype_varies import DtypeVaries
from dldoctor.checks.duplicate_samples import DuplicateSamples
from dldoctor.checks.empty_text import EmptyText
from dldoctor.checks.eos_never_trained import EosNeverTrained
from dldoctor.checks.epoch_one_behind import EpochOneBehind
from dldoctor.checks.epoch_rng_repeated import EpochRngRepeated
from dldoctor.checks.eval_random import EvalRandom
from dldoctor.checks.exif_ignored import ExifIgnored
from dldoctor.checks.first_token_untrained import FirstTokenUntrained
from dldoctor.checks.float64_field import Float64Field
from dldoctor.checks.float_transfer import FloatTransfer
from dldoctor.checks.foreign_ignore_index import ForeignIgnoreIndex
from dldoctor.checks.image_count_mismatch import ImageCountMismatch
from dldoctor.checks.image_counts_inconsistent import ImageCountsInconsistent
from dldoctor.checks.image_tokens_truncated import ImageTokensTruncated
from dldoctor.checks.in_memory_rows import InMemoryRows
from dldoctor.checks.incomplete_members import IncompleteMembers
from dldoctor.checks.index_ignored import IndexIgnored
from dldoctor.checks.integer_overflow import IntegerOverflow
from dldoctor.checks.label_dtype import LabelDtype
from dldoctor.checks.label_out_of_range import LabelOutOfRange
from dldoctor.checks.label_pad_trained import LabelPadTrained
from dldoctor.checks.labels_overwritten import LabelsOverwritten
from dldoctor.checks.labels_pre_shifted import LabelsPreShifted
from dldoctor.checks.length_mismatch import LengthMismatch
from dldoctor.checks.lengths_disagree import LengthsDisagree
from dldoctor.checks.loader_hang import LoaderHang
from dldoctor.checks.low_limit import LowLimit
from dldoctor.checks.low_similarity import LowSimilarity
from dldoctor.checks.main_guard import MainGuard
from dldoctor.checks.many_small_tensors import ManySmallTensors
from dldoctor.checks.mask_defeats_packing import MaskDefeatsPacking
from dldoctor.checks.mask_hides_tokens import MaskHidesTokens
from dldoctor.checks.mask_interpolated import MaskInterpolated
from dldoctor.checks.memory_headroom import MemoryHeadroom
from dldoctor.checks.memory_leak import MemoryLeak
from dldoctor.checks.modality_imbalance import ModalityImbalance
from dldoctor.checks.mutates_storage import MutatesStorage
from dldoctor.checks.negative_index import NegativeIndex
from dldoctor.checks.no_batches import NoBatches
from dldoctor.checks.no_index_error import NoIndexError
from dldoctor.checks.noisy_machine import NoisyMachine
from dldoctor.checks.non_finite import NonFinite
from dldoctor.checks.none_sample import NoneSample
from dldoctor.checks.not_picklable import NotPicklable
from dldoctor.checks.not_pinned import NotPinned
from dldoctor.checks.not_reproducible import NotReproducible
from dldoctor.checks.order_not_mixed import OrderNotMixed
from dldoctor.checks.outlier_size import OutlierSize
from dldoctor.checks.oversized_decode import OversizedDecode
from dldoctor.checks.packing_leaks import PackingLeaks
from dldoctor.checks.pad_attended import PadAttended
from dldoctor.checks.padded_duplicates import PaddedDuplicates
from dldoctor.checks.padding_side import PaddingSide
from dldoctor.checks.padding_waste import PaddingWaste
from dldoctor.checks.pair_order import PairOrder
from dldoctor.checks.paired_transform_desync import PairedTransformDesync
from dldoctor.checks.pickled_payload import PickledPayload
from dldoctor.checks.placeholder_run_mismatch import PlaceholderRunMismatch
from dldoctor.checks.placeholder_trained import PlaceholderTrained
from dldoctor.checks.positions_not_reset import PositionsNotReset
from dldoctor.checks.prefetch_memory import PrefetchMemory
from dldoctor.checks.process_leak import ProcessLeak
from dldoctor.checks.prompt_trained import PromptTrained
from dldoctor.checks.random_access_slow import RandomAccessSlow
from dldoctor.checks.rank_duplicates import RankDuplicates
from dldoctor.checks.rank_order_differs import RankOrderDiffers
from dldoctor.checks.rank_rng_duplicated import RankRngDuplicated
from dldoctor.checks.rank_starved import RankStarved
from dldoctor.checks.reopened_file import ReopenedFile
from dldoctor.checks.repeated_work import RepeatedWork
from dldoctor.checks.resize_aliased import ResizeAliased
from dldoctor.checks.resume_restarts import ResumeRestarts
from dldoctor.checks.same_order_every_epoch import SameOrderEveryEpoch
from dldoctor.checks.sample_failed import SampleFailed
from dldoctor.checks.sample_overwritten import SampleOverwritten
from dldoctor.checks.sample_rate_mix import SampleRateMix
from dldoctor.checks.sample_substituted import SampleSubstituted
from dldoctor.checks.shape_varies import ShapeVaries
from dldoctor.checks.sharded_twice import ShardedTwice
from dldoctor.checks.shared_handle import SharedHandle
from dldoctor.checks.shm_too_small import ShmTooSmall
from dldoctor.checks.silent_stop import SilentStop
from dldoctor.checks.slow_samples import SlowSamples
from dldoctor.checks.slow_stage import SlowStage
from dldoctor.checks.slow_storage import SlowStorage
from dldoctor.checks.split_mismatch import SplitMismatch
from dldoctor.checks.split_overlap import SplitOverlap
from dldoctor.checks.stale_shared_memory import StaleSharedMemory
from dldoctor.checks.stale_worker_copy import StaleWorkerCopy
from dldoctor.checks.start_method import StartMethod
from dldoctor.checks.structure_varies import StructureVaries
from dldoctor.checks.tail_batch_of_one import TailBatchOfOne
from dldoctor.checks.threads_at_fork import ThreadsAtFork
from dldoctor.checks.time_misaligned import TimeMisaligned
from dldoctor.checks.token_out_of_vocab import TokenOutOfVocab
from dldoctor.checks.truncated import Truncated
from dldoctor.checks.uneven_work import UnevenWork
from dldoctor.checks.value_range import ValueRange
from dldoctor.checks.worker_count import WorkerCount
from dldoctor.checks.worker_died import WorkerDied
from dldoctor.checks.worker_duplicates import WorkerDuplicates
from dldoctor.checks.worker_rng_duplicated import WorkerRngDuplicated
from dldoctor.checks.worker_startup import WorkerStartup
from dldoctor.checks.workers_change_data import WorkersChangeData

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
    ColumnsDropped(),
    ResumeRestarts(),
    SampleOverwritten(),
    NonFinite(),
    ConstantSample(),
    ValueRange(),
    ChannelOrder(),
    ExifIgnored(),
    ResizeAliased(),
    IntegerOverflow(),
    LabelOutOfRange(),
    LabelDtype(),
    ClassImbalance(),
    ClassMapDiffers(),
    DuplicateSamples(),
    EmptyText(),
    Float64Field(),
    OutlierSize(),
    ChannelMix(),
    ModalityImbalance(),
    SampleRateMix(),
    BoxInvalid(),
    SplitMismatch(),
    LabelPadTrained(),
    EosNeverTrained(),
    AllLabelsIgnored(),
    PromptTrained(),
    FirstTokenUntrained(),
    LabelsPreShifted(),
    DoubleSpecial(),
    MaskHidesTokens(),
    PadAttended(),
    PaddingSide(),
    LabelsOverwritten(),
    PaddingWaste(),
    Truncated(),
    TokenOutOfVocab(),
    ForeignIgnoreIndex(),
    LengthsDisagree(),
    PlaceholderTrained(),
    PositionsNotReset(),
    PackingLeaks(),
    MaskDefeatsPacking(),
    BoundaryLabelTrained(),
    ImageCountMismatch(),
    ImageTokensTruncated(),
    PlaceholderRunMismatch(),
    CollateMisaligned(),
    PairOrder(),
    PairedTransformDesync(),
    ImageCountsInconsistent(),
    AnnotationSizeMismatch(),
    LowSimilarity(),
    TimeMisaligned(),
    AlignmentDiffersByWorkers(),
    MaskInterpolated(),
    WorkerRngDuplicated(),
    EpochRngRepeated(),
    NotReproducible(),
    WorkersChangeData(),
    SharedHandle(),
    StaleWorkerCopy(),
    EpochOneBehind(),
    WorkerDied(),
    LoaderHang(),
    NotPicklable(),
    MainGuard(),
    CudaInWorker(),
    EvalRandom(),
    ThreadsAtFork(),
    WorkerDuplicates(),
    CoverageGap(),
    RankDuplicates(),
    RankStarved(),
    PaddedDuplicates(),
    SameOrderEveryEpoch(),
    RankOrderDiffers(),
    ShardedTwice(),
    RankRngDuplicated(),
    SplitOverlap(),
    IncompleteMembers(),
    OrderNotMixed(),
    UnevenWork(),
    ConsumerStarved(),
    SlowStage(),
    SlowSamples(),
    CpuOversubscribed(),
    WorkerCount(),
    WorkerStartup(),
    BigPickle(),
    ManySmallTensors(),
    PickledPayload(),
    InMemoryRows(),
    FloatTransfer(),
    NotPinned(),
    Bursty(),
    RandomAccessSlow(),
    RepeatedWork(),
    OversizedDecode(),
    ReopenedFile(),
    MemoryLeak(),
    CopyOnWriteGrowth(),
    DescriptorLeak(),
    BatchesRetained(),
    ShmTooSmall(),
    PrefetchMemory(),
    ProcessLeak(),
    StaleSharedMemory(),
    MemoryHeadroom(),
    CpuQuota(),
    LowLimit(),
    NoisyMachine(),
    StartMethod(),
    SlowStorage(),
)
"""Every check, by rule number."""

__all__ = ["CHECKS", "Case", "Check"]
