"""Finding plugins and asking them, built-in ones through the same hooks as everybody's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from abotn._version import __version__
from abotn.errors import PluginError, UnknownNameError
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import MetricSpec
from abotn.plugins import hookspecs

ENTRY_POINT_GROUP = "abotn"
BUILT_IN_MODULES = {
    "abotn_metrics": "abotn.metrics.plugin",
    "abotn_groupings": "abotn.evaluation.plugin",
    "abotn_record_readers": "abotn.records.plugin",
    "abotn_renderers": "abotn.rendering.plugin",
    "abotn_visualization_handlers": "abotn.rendering.plugin",
    "abotn_protocols": "abotn.rollout.plugin",
    "abotn_report_formats": "abotn.report.plugin",
}


@dataclass(frozen=True)
class Origin:
    """The distribution a plugin came from."""

    distribution: str
    version: str
    plugin: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".strip()


@dataclass(frozen=True)
class Offer:
    """One thing a plugin returned from a hook, with where it came from."""

    value: Any
    origin: Origin


class PluginManager:
    """Loads plugins once and asks them through the hooks.

    A plugin that cannot be imported, breaks the contract or raises in a hook costs one warning
    on stderr that names its distribution and the reason, and nothing else.

    Args:
        discover: Whether to look for installed plugins; False leaves the built-in ones.
    """

    def __init__(self, *, discover: bool = True) -> None:
        self._pluggy = pluggy.PluginManager(hookspecs.PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        self._origins: dict[str, Origin] = {}
        self.failures: dict[Origin, str] = {}
        if discover:
            for entry_point in sorted(
                entry_points(group=ENTRY_POINT_GROUP),
                key=lambda ep: (_origin(ep).distribution, ep.name),
            ):
                self._load(entry_point)

    @property
    def origins(self) -> list[Origin]:
        """Where the installed plugins that could be loaded came from."""
        return [origin for origin in self._origins.values() if origin.distribution != "abotn"]

    @property
    def versions(self) -> dict[str, str]:
        """Version of this package and of every distribution that brought a plugin."""
        return {"abotn": __version__, **{o.distribution: o.version for o in self.origins}}

    def register(self, plugin: Any, origin: Origin) -> None:
        """Add a plugin module or object by hand.

        Raises:
            PluginError: it has a hook that does not exist.
        """
        name = f"{origin.distribution}:{origin.plugin}"
        if self._pluggy.has_plugin(name):
            return
        self._pluggy.register(plugin, name=name)
        self._origins[name] = origin
        try:
            self._pluggy.check_pending()
        except pluggy.PluginValidationError as error:
            self._pluggy.unregister(name=name)
            del self._origins[name]
            unknown = ", ".join(sorted(_unknown_hooks(plugin))) or str(error)
            raise PluginError(
                f"plugin {origin.plugin!r} has a hook that does not exist: {unknown}",
                where=str(origin),
            ) from error

    def offers(self, hook: str) -> Iterator[Offer]:
        """Yield what every plugin returns from a list hook, built-in ones first."""
        module = BUILT_IN_MODULES[hook]
        self.register(import_module(module), Origin("abotn", __version__, module))
        implementations = getattr(self._pluggy.hook, hook).get_hookimpls()
        ordered = sorted(
            implementations, key=lambda i: (not i.plugin_name.startswith("abotn:"), i.plugin_name)
        )
        for implementation in ordered:
            origin = self._origins[implementation.plugin_name]
            for value in self._ask(implementation, hook, origin):
                yield Offer(value, origin)

    def tell(self, hook: str, **arguments: Any) -> None:
        """Tell every plugin that something happened."""
        for implementation in getattr(self._pluggy.hook, hook).get_hookimpls():
            origin = self._origins[implementation.plugin_name]
            try:
                names = implementation.argnames
                implementation.function(*(arguments[name] for name in names))
            except (Exception, SystemExit) as error:
                self._fail(origin, f"{hook} raised {type(error).__name__}: {error}")

    def listens(self, hook: str) -> bool:
        """Whether any plugin implements ``hook``."""
        return bool(getattr(self._pluggy.hook, hook).get_hookimpls())

    def metric_registry(self) -> MetricRegistry:
        """Return a new registry with every plugin's metrics."""
        registry = MetricRegistry()
        for offer in self.offers("abotn_metrics"):
            if not isinstance(offer.value, MetricSpec):
                self._fail(offer.origin, f"abotn_metrics returned a {type(offer.value).__name__}")
                continue
            registry.register(
                offer.value.from_distribution(offer.origin.distribution, offer.origin.version)
            )
        return registry

    def named(self, hook: str, kind: str, name: str) -> Any:
        """Return the one offer of ``hook`` whose ``name`` attribute is ``name``.

        Raises:
            UnknownNameError: nobody offers it; the nearest names are given.
            PluginError: two distributions offer it.
        """
        found = [offer for offer in self.offers(hook) if _name_of(offer.value) == name]
        if not found:
            raise UnknownNameError(kind, name, [_name_of(o.value) for o in self.offers(hook)])
        if len(found) > 1:
            both = " and ".join(str(offer.origin) for offer in found)
            raise PluginError(
                f"{kind} {name!r} comes from both {both}", hint="uninstall one of them"
            )
        return found[0].value

    def _ask(self, implementation: Any, hook: str, origin: Origin) -> list[Any]:
        try:
            return list(implementation.function())
        except (Exception, SystemExit) as error:
            if origin.plugin in BUILT_IN_MODULES.values():
                raise
            self._fail(origin, f"{hook} raised {type(error).__name__}: {error}")
            return []

    def _load(self, entry_point: EntryPoint) -> None:
        origin = _origin(entry_point)
        try:
            self.register(entry_point.load(), origin)
        except PluginError as error:
            self._fail(origin, error.message)
        except (Exception, SystemExit) as error:
            self._fail(origin, f"{type(error).__name__}: {error}")

    def warn(self, origin: Origin, reason: str) -> None:
        """Say on stderr, in one line, what is wrong with a plugin."""
        self._fail(origin, reason)

    def _fail(self, origin: Origin, reason: str) -> None:
        line = " ".join(reason.split())
        self.failures[origin] = line
        print(f"warning: plugin {origin.plugin!r} of {origin}: {line}", file=sys.stderr)


@cache
def plugin_manager() -> PluginManager:
    """Return the manager of this process, made on first use."""
    return PluginManager()


@cache
def default_registry() -> MetricRegistry:
    """Return the registry of this process, made on first use."""
    return plugin_manager().metric_registry()


def _origin(entry_point: EntryPoint) -> Origin:
    distribution = entry_point.dist
    if distribution is None:
        return Origin("unknown distribution", "", entry_point.name)
    return Origin(distribution.metadata["Name"], distribution.version, entry_point.name)


def _unknown_hooks(plugin: Any) -> set[str]:
    marked = {name for name in dir(plugin) if hasattr(getattr(plugin, name, None), "abotn_impl")}
    return {name for name in marked if not hasattr(hookspecs, name)}


def _name_of(value: Any) -> str:
    return str(getattr(value, "name", None) or getattr(value, "__name__", value))
