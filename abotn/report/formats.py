"""What a report format is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from abotn.report.document import Report


@dataclass(frozen=True)
class ReportFormat:
    """A way to write a report down.

    Attributes:
        name: Name on the command line.
        suffix: Ending of its files, such as ``".md"``.
        description: One line on what it is good for.
        write: Turns a report into text, or into bytes; the same report gives the same bytes.

    Example:
        >>> from abotn.report.formats import ReportFormat
        >>> titles = ReportFormat("titles", ".txt", "Titles of the tables.",
        ...     lambda report: "".join(f"{table.title}\\n" for table in report.tables))
    """

    name: str
    suffix: str
    description: str
    write: Callable[[Report], str | bytes]

    def content(self, report: Report) -> bytes:
        """Return the report as the bytes of a file; text is UTF-8 with ``\\n`` line ends."""
        written = self.write(report)
        return written.encode("utf-8") if isinstance(written, str) else written
