"""Records of the catalogue: what a data file may say, with the unit of each field."""

from sizing.records.architecture import (
    ArchitectureRecord,
    Attention,
    AttentionVariantRecord,
    CompressionRecord,
    CrossAttentionRecord,
    IndexerRecord,
    MlaRecord,
    MoeRecord,
    TensorGroup,
)
from sizing.records.base import (
    Count,
    Identifier,
    Name,
    Positive,
    PositiveCount,
    Record,
    SourcedRecord,
    Text,
)
from sizing.records.engine import (
    BytesPerEntryRange,
    EngineRecord,
    GibRange,
    LaunchRecord,
    OverheadRecord,
    Reservation,
    SplitMode,
)
from sizing.records.gguf import GgufLayers, GgufRecipe, GgufRule, GgufTensor
from sizing.records.gpu import GpuRecord, Segment, Tier
from sizing.records.mig import MigProfile, ProfileName
from sizing.records.model import ModelKind, ModelRecord
from sizing.records.precision import KvPrecisionRecord, PrecisionRecord, PrecisionScheme
from sizing.records.recurrent import (
    GatedDeltaNetRecord,
    KimiDeltaRecord,
    LightningRecord,
    Mamba2Record,
    MambaRecord,
    RecurrentRecord,
    ShortConvolutionRecord,
)

__all__ = [
    "ArchitectureRecord",
    "Attention",
    "AttentionVariantRecord",
    "BytesPerEntryRange",
    "CompressionRecord",
    "Count",
    "CrossAttentionRecord",
    "EngineRecord",
    "GatedDeltaNetRecord",
    "GgufLayers",
    "GgufRecipe",
    "GgufRule",
    "GgufTensor",
    "GibRange",
    "GpuRecord",
    "Identifier",
    "IndexerRecord",
    "KimiDeltaRecord",
    "KvPrecisionRecord",
    "LaunchRecord",
    "LightningRecord",
    "Mamba2Record",
    "MambaRecord",
    "MigProfile",
    "MlaRecord",
    "ModelKind",
    "ModelRecord",
    "MoeRecord",
    "Name",
    "OverheadRecord",
    "Positive",
    "PositiveCount",
    "PrecisionRecord",
    "PrecisionScheme",
    "ProfileName",
    "Record",
    "RecurrentRecord",
    "Reservation",
    "Segment",
    "ShortConvolutionRecord",
    "SourcedRecord",
    "SplitMode",
    "TensorGroup",
    "Text",
    "Tier",
]
