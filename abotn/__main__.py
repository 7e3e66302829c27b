"""Entry point of the command line: ``abotn`` and ``python -m abotn``."""

import sys


def main() -> None:
    """Run the command line.

    ``--version`` and ``--help`` are answered from a table, before anything else is imported.
    """
    from abotn.cli.streams import tolerant_streams, with_output

    tolerant_streams()
    code = with_output(lambda: _answer(sys.argv[1:]))
    if code:
        sys.exit(code)


def _answer(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        from abotn._version import __version__

        sys.stdout.write(f"abotn {__version__}\n")
    elif arguments in ([], ["--help"], ["-h"]):
        from abotn.cli.commands import help_text

        sys.stdout.write(help_text())
    else:
        from abotn.cli.main import run_command_line
        from abotn.cli.streams import own_standard_output

        own_standard_output()
        return run_command_line(arguments)
    return 0


if __name__ == "__main__":
    main()
