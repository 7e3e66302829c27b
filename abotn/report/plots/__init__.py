"""Pictures of runs: each kind answers one question, and draws what it is given."""

from abotn.report.plots.kinds import KINDS as KINDS
from abotn.report.plots.kinds import PlotKind as PlotKind
from abotn.report.plots.kinds import plot_kind as plot_kind
