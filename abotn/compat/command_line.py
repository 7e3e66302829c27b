"""Published command lines: their parsers, and how an error becomes one line and an exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from abotn.errors import AbotnError, ConfigError

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


class PublishedParser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(message, hint=f"see 'python -m {self.prog} --help'")


def run_command(
    parser: PublishedParser,
    command: Callable[[argparse.Namespace], None],
    arguments: Sequence[str] | None,
) -> int:
    """Run a command and return its exit code.

    Args:
        parser: Reads the arguments.
        command: What to do with them.
        arguments: The arguments; those of the process by default.
    """
    try:
        command(parser.parse_args(arguments))
    except (AbotnError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0


def add_grouping_options(parser: argparse.ArgumentParser, mode: str) -> None:
    """Add the options that summaries and runs share.

    Args:
        parser: Gets them.
        mode: The default mode.
    """
    parser.add_argument("--mode", choices=("outdoor", "indoor"), default=mode,
                        help="groups of the summary; for point-goal the protocol too")  # fmt: skip
    parser.add_argument("--min-distance", type=float, default=5.0, metavar="M")
    parser.add_argument("--max-distance", type=float, default=50.0, metavar="M")
    parser.add_argument("--exclude-scenes", nargs="*", default=None, metavar="SCENE",
                        help="scenes to leave out; without a name none")  # fmt: skip
    parser.add_argument("--per-scene", action="store_true", help="print a table by scene")


def add_poi_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--per-poi`` and ``--no-per-poi``."""
    parser.add_argument("--per-poi", action=argparse.BooleanOptionalAction, default=True,
                        help="print a table by POI")  # fmt: skip
