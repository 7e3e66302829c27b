"""What a report format is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abotn.report.document import Report

if TYPE_CHECKING:
    from abotn.report.page_sources import ReportSources


@dataclass(frozen=True)
class ReportFormat:
    """A way to write a report down.

    Attributes:
        name: Name on the command line.
        suffix: Ending of its files, such as ``".md"``.
        description: One line on what it is good for.
        write: Turns a report into text, or into bytes; the same report gives the same bytes.
        write_with_sources: The same for a format that shows single records too; it is handed
            the records, maps and options behind the report as well.

    Example:
        >>> from abotn.report.formats import ReportFormat
        >>> titles = ReportFormat("titles", ".txt", "Titles of the tables.",
        ...     lambda report: "".join(f"{table.title}\\n" for table in report.tables))
    """

    name: str
    suffix: str
    description: str
    write: Callable[[Report], str | bytes]
    write_with_sources: Callable[[Report, ReportSources], str | bytes] | None = None

    def content(self, report: Report, sources: ReportSources | None = None) -> bytes:
        """Return the report as the bytes of a file; text is UTF-8 with ``\\n`` line ends.

        Args:
            report: The report.
            sources: What lies behind it, for a format that shows more than its tables.
        """
        if sources is None or self.write_with_sources is None:
            written = self.write(report)
        else:
            written = self.write_with_sources(report, sources)
        return written.encode("utf-8") if isinstance(written, str) else written
