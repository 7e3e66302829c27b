"""Running a server until a signal asks it to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socketserver import BaseServer

import click

from abotn.cli.streams import prints_on_stderr


def serve_until_stopped(server: BaseServer, url: str, told: str) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Args:
        server: The server, listening.
        url: Printed as the first line of the standard output.
        told: Printed on stderr once it serves.
    """

    def stop() -> None:
        # It waits for the loop that the signal has interrupted, so another thread must call it.
        threading.Thread(target=server.shutdown, daemon=True).start()

    with _called_at_signals(stop):
        click.echo(url)
        click.echo(f"{told}; Ctrl-C stops", err=True)
        with prints_on_stderr():
            server.serve_forever(poll_interval=0.1)
    click.echo("stopped", err=True)


@contextmanager
def _called_at_signals(stop: Callable[[], None]) -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: stop()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
