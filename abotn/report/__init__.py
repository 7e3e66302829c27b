"""Tables of evaluations, and the formats they are written in."""

from abotn.report.build import build_report as build_report
from abotn.report.document import Report as Report
from abotn.report.options import ReportOptions as ReportOptions
from abotn.report.table import Cell as Cell
from abotn.report.table import Column as Column
from abotn.report.table import Row as Row
from abotn.report.table import Table as Table
