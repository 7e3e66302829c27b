"""POI-goal runs under their published name, as a command."""

import sys

from abotn.compat.runner_command import poi_goal_runner as main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
