"""POI-goal summaries under their published name, also as a command."""

import sys

from abotn.compat.summary_command import poi_goal_metrics as main
from abotn.compat.summary_reports import analyze_poi_goal as analyze_and_report

__all__ = ["analyze_and_report", "main"]

if __name__ == "__main__":
    sys.exit(main())
