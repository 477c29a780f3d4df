"""Records of the catalogue: what a data file may say, with the unit of each field."""

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
    OverheadRecord,
    SplitMode,
)
from sizing.records.gpu import GpuRecord, Segment, Tier
from sizing.records.model import (
    ArchitectureRecord,
    Attention,
    IndexerRecord,
    MlaRecord,
    ModelKind,
    ModelRecord,
    MoeRecord,
    TensorGroup,
)
from sizing.records.precision import KvPrecisionRecord, PrecisionRecord, PrecisionScheme

__all__ = [
    "ArchitectureRecord",
    "Attention",
    "BytesPerEntryRange",
    "Count",
    "EngineRecord",
    "GibRange",
    "GpuRecord",
    "Identifier",
    "IndexerRecord",
    "KvPrecisionRecord",
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
    "Record",
    "Segment",
    "SourcedRecord",
    "SplitMode",
    "TensorGroup",
    "Text",
    "Tier",
]
