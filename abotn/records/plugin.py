"""The record readers this package brings."""

from __future__ import annotations

import pluggy

from abotn.records.readers import RecordReader, RunFolderReader

hookimpl = pluggy.HookimplMarker("abotn")


@hookimpl
def abotn_record_readers() -> list[RecordReader]:
    """Run folders and single ``result.json`` files."""
    return [RunFolderReader()]
