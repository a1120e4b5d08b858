"""Snapshots without a picture: `snapshot({"a": a})` is plain data, which `docs/snapshot.md` describes."""

from glassroom.reading.snapshot import snapshot
from glassroom.records.cells import Cell
from glassroom.records.snapshot import SCHEMA, Header, Snapshot, Storage

__all__ = ["SCHEMA", "Cell", "Header", "Snapshot", "Storage", "snapshot"]
