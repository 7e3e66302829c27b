"""Entry point of the command line: ``abotn`` and ``python -m abotn``."""

import sys


def main() -> None:
    """Run the command line.

    ``--version`` and ``--help`` are answered from a table, before anything else is imported.
    """
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from abotn._version import __version__

        print(f"abotn {__version__}")
    elif arguments in ([], ["--help"], ["-h"]):
        from abotn.cli.commands import help_text

        sys.stdout.write(help_text())
    else:
        from abotn.cli.main import run_command_line

        sys.exit(run_command_line(arguments))


if __name__ == "__main__":
    main()
