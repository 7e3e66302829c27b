"""The report formats this package brings."""

from __future__ import annotations

import pluggy

from abotn.report.csv_format import write_csv
from abotn.report.formats import ReportFormat
from abotn.report.html_tables import write_html
from abotn.report.json_format import write_json_report
from abotn.report.latex import write_latex
from abotn.report.markdown import write_markdown
from abotn.report.page import write_page
from abotn.report.rst import write_rst
from abotn.report.typst import write_typst

hookimpl = pluggy.HookimplMarker("abotn")

FORMATS = (
    ReportFormat("markdown", ".md", "Tables for GitHub and the terminal.", write_markdown),
    ReportFormat("csv", ".csv", "One line per run, group and metric, unrounded.", write_csv),
    ReportFormat("json", ".json", "Tables and unrounded numbers for programs.", write_json_report),
    ReportFormat("latex", ".tex", "Tables for papers, with booktabs.", write_latex),
    ReportFormat("html", ".html", "An interactive page in one file.", write_page, write_page),
    ReportFormat("html-tables", ".tables.html", "The tables alone, without scripts.", write_html),
    ReportFormat("rst", ".rst", "Tables for Sphinx and docutils.", write_rst),
    ReportFormat("typst", ".typ", "Tables for Typst.", write_typst),
)


@hookimpl
def abotn_report_formats() -> list[ReportFormat]:
    """Markdown, CSV, JSON, LaTeX, HTML twice, reStructuredText and Typst."""
    return list(FORMATS)
