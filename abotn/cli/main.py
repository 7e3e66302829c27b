"""The command group, and how an error becomes one line and an exit code."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from importlib import import_module

import click

from abotn._version import __version__
from abotn.cli.commands import COMMANDS, SUMMARY, help_text
from abotn.cli.option_types import checked_options
from abotn.cli.streams import EXIT_CLOSED_PIPE, is_broken, say, silence
from abotn.compat import install as install_published_names
from abotn.errors import AbotnError, UnknownNameError, error_text, text_of

EXIT_BAD_INPUT = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130

_LONGEST_LINE = 4000


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
        return checked_options(command)

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
    streams = sys.stdout, sys.stderr
    try:
        returned = cli.main(
            arguments, prog_name="abotn", standalone_mode=False, obj=tuple(arguments)
        )
    except KeyboardInterrupt:
        say("interrupted")
        return EXIT_INTERRUPTED
    except BaseException as error:
        # After a broken pipe click hides the streams and exits in its own way.
        hidden = isinstance(error, SystemExit) and sys.stdout is not streams[0]
        sys.stdout, sys.stderr = streams
        return _report(BrokenPipeError() if hidden else error, debug=debug)
    return returned if isinstance(returned, int) else 0


def _without_debug(arguments: list[str]) -> tuple[bool, list[str]]:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [argument for argument in arguments[:end] if argument != "--debug"]
    return len(kept) < end, kept + arguments[end:]


def _report(error: BaseException, *, debug: bool) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.Abort):
        say("interrupted")
        return EXIT_INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # The reader of our output went away, which is its right.
        silence(sys.stdout)
        return EXIT_CLOSED_PIPE
    if debug:
        with suppress(OSError):
            traceback.print_exception(error)
    line, code = _line_and_code(error)
    say(f"error: {text_of(line, _LONGEST_LINE)}")
    return code


def _line_and_code(error: BaseException) -> tuple[str, int]:
    if isinstance(error, AbotnError):
        return text_of(error, _LONGEST_LINE), EXIT_BAD_INPUT
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "abotn"
        return f"{error.format_message()} (see '{path} --help')", EXIT_BAD_INPUT
    if isinstance(error, click.ClickException):
        return error.format_message(), EXIT_BAD_INPUT
    if isinstance(error, OSError):
        return f"{_place(error)}{error.strerror or text_of(error)}", EXIT_BAD_INPUT
    if isinstance(error, MemoryError):
        return "out of memory", EXIT_BAD_INPUT
    hint = "this is a bug in abotn; --debug shows where"
    return f"unexpected {error_text(error)} ({hint})", EXIT_BUG


def _place(error: OSError) -> str:
    if error.filename:
        return f"{error.filename}: "
    if not is_broken(sys.stdout):
        return ""
    silence(sys.stdout)
    return "standard output: "
