"""The command group, and how an error becomes one line and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module

import click

from abotn._version import __version__
from abotn.cli.commands import COMMANDS, SUMMARY, help_text
from abotn.compat import install as install_published_names
from abotn.errors import AbotnError, UnknownNameError

EXIT_BAD_INPUT = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; an unknown name is an error with the nearest ones."""
        if cmd_name not in COMMANDS:
            raise UnknownNameError("command", cmd_name, COMMANDS)
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def get_help(self, ctx: click.Context) -> str:
        """The same text as ``abotn --help`` gives."""
        return help_text().rstrip()


@click.group(cls=LazyGroup, help=SUMMARY, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="abotn %(version)s")
def cli() -> None:
    """Root of all commands."""


def run_command_line(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    An error of this package, of the operating system or in the usage is one line on stderr and
    exit code 2; ``--debug`` anywhere before ``--`` shows the traceback as well.
    """
    debug, arguments = _without_debug(arguments)
    install_published_names()
    try:
        returned = cli.main(arguments, prog_name="abotn", standalone_mode=False)
    except Exception as error:
        return _report(error, debug=debug)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    return returned if isinstance(returned, int) else 0


def _without_debug(arguments: list[str]) -> tuple[bool, list[str]]:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [argument for argument in arguments[:end] if argument != "--debug"]
    return len(kept) < end, kept + arguments[end:]


def _report(error: Exception, *, debug: bool) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.Abort):
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # The reader of our output went away; that is its right, and Python must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if debug:
        traceback.print_exception(error)
    line, code = _line_and_code(error)
    print(f"error: {' '.join(line.split())}", file=sys.stderr)
    return code


def _line_and_code(error: Exception) -> tuple[str, int]:
    if isinstance(error, AbotnError):
        return str(error), EXIT_BAD_INPUT
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "abotn"
        return f"{error.format_message()} (see '{path} --help')", EXIT_BAD_INPUT
    if isinstance(error, click.ClickException):
        return error.format_message(), EXIT_BAD_INPUT
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}", EXIT_BAD_INPUT
    if isinstance(error, MemoryError):
        return "out of memory", EXIT_BAD_INPUT
    hint = "this is a bug in abotn; --debug shows where"
    return f"unexpected {type(error).__name__}: {error} ({hint})", EXIT_BUG
