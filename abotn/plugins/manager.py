"""Finding plugins and asking them, built-in ones through the same hooks as everybody's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pluggy

from abotn._version import __version__
from abotn.errors import PluginError, UnknownNameError, error_text, text_of
from abotn.foreign_code import foreign_code
from abotn.metrics.registry import MetricRegistry
from abotn.plugins import hookspecs
from abotn.plugins.contract import usable_values
from abotn.plugins.discovery import FoundPlugin, Origin, find_plugins

__all__ = ["Offer", "Origin", "PluginManager", "default_registry", "plugin_manager"]

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
class Offer:
    """One thing a plugin returned from a hook, with where it came from."""

    value: Any
    origin: Origin


class PluginManager:
    """Loads plugins once and asks them through the hooks.

    A plugin that cannot be imported, breaks the contract or raises in a hook costs one warning
    on stderr that names its distribution and the reason, and nothing else. What it prints while
    it is imported or asked goes to stderr too.

    Args:
        discover: Whether to look for installed plugins; False leaves the built-in ones.
    """

    def __init__(self, *, discover: bool = True) -> None:
        self._pluggy = pluggy.PluginManager(hookspecs.PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        self._origins: dict[str, Origin] = {}
        self.failures: dict[Origin, str] = {}
        self._warned: set[tuple[Origin, str]] = set()
        for found in find_plugins() if discover else ():
            self._load(found)

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
            PluginError: it has no hook, a hook that does not exist or takes other arguments, or
                is there already under another name.
        """
        name = _key(origin)
        if self._pluggy.has_plugin(name):
            return
        if self._pluggy.is_registered(plugin):
            there = self._pluggy.get_name(plugin)
            raise PluginError(f"plugin {origin.plugin!r} is there as {there}", where=str(origin))
        try:
            self._pluggy.register(plugin, name=name)
            self._pluggy.check_pending()
            _require_hooks(plugin, self._pluggy.get_hookcallers(plugin), origin)
        except BaseException as error:
            if self._pluggy.has_plugin(name):
                self._pluggy.unregister(name=name)
            if not isinstance(error, pluggy.PluginValidationError):
                raise
            raise PluginError(_misfit(plugin, origin, error), where=str(origin)) from error
        self._origins[name] = origin

    def offers(self, hook: str) -> Iterator[Offer]:
        """Yield what every plugin returns from a list hook, built-in ones first."""
        module = BUILT_IN_MODULES[hook]
        self.register(import_module(module), Origin("abotn", __version__, module))
        implementations = getattr(self._pluggy.hook, hook).get_hookimpls()
        ordered = sorted(
            implementations,
            key=lambda i: (self._origins[i.plugin_name].distribution != "abotn", i.plugin_name),
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
                with foreign_code():
                    implementation.function(*(arguments[name] for name in names))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail(origin, f"{hook} raised {error_text(error)}")

    def listens(self, hook: str) -> bool:
        """Whether any plugin implements ``hook``."""
        return bool(getattr(self._pluggy.hook, hook).get_hookimpls())

    def metric_registry(self) -> MetricRegistry:
        """Return a new registry with every plugin's metrics.

        A metric that takes a built-in one's name without ``override=True`` costs a warning.
        """
        registry = MetricRegistry()
        origins: dict[tuple[str, str], Origin] = {}
        for offer in self.offers("abotn_metrics"):
            origin = offer.origin
            spec = offer.value.from_distribution(origin.distribution, origin.version)
            origins.setdefault((spec.distribution, spec.name), origin)
            registry.register(spec)
        for refusal in registry.refusals:
            spec = refusal.spec
            self._fail(origins[spec.distribution, spec.name], refusal.reason)
        return registry

    def examine(self) -> None:
        """Ask every installed plugin for everything it offers, so that ``failures`` is complete."""
        self.metric_registry()
        for hook in BUILT_IN_MODULES:
            for implementation in getattr(self._pluggy.hook, hook).get_hookimpls():
                self._ask(implementation, hook, self._origins[implementation.plugin_name])

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
            with foreign_code(), redirect_stdout(sys.stderr):
                returned = implementation.function()
                kept, problems = usable_values(hook, returned)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if origin.plugin in BUILT_IN_MODULES.values():
                raise
            self._fail(origin, f"{hook} raised {error_text(error)}")
            return []
        for problem in problems:
            self._fail(origin, problem)
        return kept

    def _load(self, found: FoundPlugin) -> None:
        origin = found.origin
        if found.problem is not None or found.entry_point is None:
            self._fail(origin, found.problem or "it has no entry point")
            return
        if self._pluggy.has_plugin(_key(origin)):
            self._fail(origin, "the distribution has two plugins of this name; the first is used")
            return
        try:
            with foreign_code(), redirect_stdout(sys.stderr):
                self.register(found.entry_point.load(), origin)
        except PluginError as error:
            self._fail(origin, error.message)
        except BaseException as error:
            self._fail(origin, error_text(error))

    def warn(self, origin: Origin, reason: str) -> None:
        """Say on stderr, in one line, what is wrong with a plugin."""
        self._fail(origin, reason)

    def _fail(self, origin: Origin, reason: str) -> None:
        line = text_of(reason)
        if (origin, line) in self._warned:
            return
        self._warned.add((origin, line))
        known = self.failures.get(origin)
        self.failures[origin] = line if known is None else f"{known}; {line}"
        print(f"warning: plugin {origin.plugin!r} of {origin}: {line}", file=sys.stderr)


@cache
def plugin_manager() -> PluginManager:
    """Return the manager of this process, made on first use."""
    return PluginManager()


@cache
def default_registry() -> MetricRegistry:
    """Return the registry of this process, made on first use."""
    return plugin_manager().metric_registry()


def _key(origin: Origin) -> str:
    return f"{origin.distribution}:{origin.plugin}"


def _require_hooks(plugin: Any, callers: Any, origin: Origin) -> None:
    if callers:
        return
    kind = "its module" if isinstance(plugin, ModuleType) else f"{type(plugin).__name__} object"
    raise PluginError(
        f"plugin {origin.plugin!r}: {kind} has no hook; name a module with functions that are "
        "decorated with hookimpl",
        where=str(origin),
    )


def _misfit(plugin: Any, origin: Origin, error: Exception) -> str:
    unknown = ", ".join(sorted(_unknown_hooks(plugin)))
    if unknown:
        return f"plugin {origin.plugin!r} has a hook that does not exist: {unknown}"
    return f"plugin {origin.plugin!r} has a hook that does not fit: {text_of(error)}"


def _unknown_hooks(plugin: Any) -> set[str]:
    marked = {name for name in dir(plugin) if hasattr(getattr(plugin, name, None), "abotn_impl")}
    return {name for name in marked if not hasattr(hookspecs, name)}


def _name_of(value: Any) -> str:
    return str(getattr(value, "name", None) or getattr(value, "__name__", value))
