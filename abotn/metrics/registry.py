"""The set of metrics an evaluator can choose from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from abotn.errors import PluginError, UnknownMetricError
from abotn.metrics.spec import MetricSpec

BUILT_IN = "abotn"


class MetricRegistry:
    """Metrics by name; an object handed to an ``Evaluator``, never global state.

    Two distributions that claim one name do not replace each other: the name becomes a conflict,
    and asking for it raises an error that names both. A built-in metric is replaced only by one
    declared with ``override=True``, and the spec then says what it replaced.

    Iteration follows the order of registration.

    Args:
        specs: Metrics to start with.
    """

    def __init__(self, specs: Iterable[MetricSpec] = ()) -> None:
        self._specs: dict[str, MetricSpec] = {}
        self._aliases: dict[str, str] = {}
        self._conflicts: dict[str, str] = {}
        for spec in specs:
            self.register(spec)

    def register(self, spec: MetricSpec) -> None:
        """Add one metric.

        Raises:
            PluginError: ``spec`` is not a :class:`MetricSpec`.
        """
        if not isinstance(spec, MetricSpec):
            raise PluginError(
                f"expected a metric, got {type(spec).__name__}", hint="decorate it with @metric"
            )
        present = self._specs.get(spec.name)
        if present is None:
            self._specs[spec.name] = spec
        elif spec.override and present.distribution == BUILT_IN != spec.distribution:
            self._specs[spec.name] = replace(spec, overrides=_origin(present))
        elif present.override and spec.distribution == BUILT_IN != present.distribution:
            self._specs[spec.name] = replace(present, overrides=_origin(spec))
        else:
            self._conflict(spec.name, present, spec)
        for alias in spec.aliases:
            self._register_alias(alias, spec)

    def get(self, name: str) -> MetricSpec:
        """Return the metric with that name or alias.

        Raises:
            UnknownMetricError: there is none.
            PluginError: two distributions claim the name.
        """
        if name in self._conflicts:
            raise PluginError(self._conflicts[name], hint="uninstall one of them")
        actual = name if name in self._specs else self._aliases.get(name, name)
        if actual not in self._specs:
            raise UnknownMetricError(name, [*self._specs, *self._aliases])
        if actual in self._conflicts:
            raise PluginError(self._conflicts[actual], hint="uninstall one of them")
        return self._specs[actual]

    def list_metrics(self, category: str | None = None) -> list[str]:
        """Return the names of all metrics, or of one category, sorted."""
        return sorted(s.name for s in self if category is None or category in s.categories)

    @property
    def categories(self) -> list[str]:
        """Names of all categories, sorted."""
        return sorted({category for spec in self for category in spec.categories})

    @property
    def conflicts(self) -> dict[str, str]:
        """Names that cannot be used, each with the reason."""
        return dict(self._conflicts)

    def __iter__(self) -> Iterator[MetricSpec]:
        return iter(self._specs.values())

    def __len__(self) -> int:
        return len(self._specs)

    def __contains__(self, name: object) -> bool:
        return name in self._specs or name in self._aliases

    def _register_alias(self, alias: str, spec: MetricSpec) -> None:
        owner = self._specs.get(self._aliases.get(alias, alias))
        if owner is not None and owner.name != spec.name:
            self._conflict(alias, owner, spec)
        self._aliases.setdefault(alias, spec.name)

    def _conflict(self, name: str, first: MetricSpec, second: MetricSpec) -> None:
        both = " and ".join(sorted((_origin(first), _origin(second))))
        self._conflicts[name] = f"metric {name!r} comes from both {both}"


def _origin(spec: MetricSpec) -> str:
    return f"{spec.distribution or 'this program'} {spec.version}".strip()
