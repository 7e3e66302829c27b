"""The set of metrics an evaluator can choose from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from abotn.errors import PluginError, UnknownMetricError
from abotn.metrics.spec import MetricSpec

BUILT_IN = "abotn"


@dataclass(frozen=True)
class Refusal:
    """A metric, or one of its names, that was left out because a built-in metric has the name.

    Attributes:
        spec: The metric that wanted the name.
        name: The name; the metric's own, or an alias.
        owner: The metric that keeps it.
    """

    spec: MetricSpec
    name: str
    owner: MetricSpec

    @property
    def label(self) -> str:
        """What was refused and whose it is, such as ``"success of my-plugin 1.0"``."""
        return f"{self.name} of {_origin(self.spec)}"

    @property
    def reason(self) -> str:
        """Why, naming both distributions."""
        kept = f"the name belongs to metric {self.owner.name!r} of {_origin(self.owner)}"
        if self.name != self.spec.name:
            return f"alias {self.name!r} of metric {self.spec.name!r} was left out: {kept}"
        return f"metric {self.name!r} was left out: {kept}; override=True would replace it"


class MetricRegistry:
    """Metrics by name; an object handed to an ``Evaluator``, never global state.

    Two distributions that claim one name do not replace each other: the name becomes a conflict,
    and asking for it raises an error that names both. A built-in metric is replaced only by one
    declared with ``override=True``, and the spec then says what it replaced; any other metric that
    takes its name or alias is refused, and the built-in one stays among ``usable``.

    Iteration follows the order of registration.

    Args:
        specs: Metrics to start with.
    """

    def __init__(self, specs: Iterable[MetricSpec] = ()) -> None:
        self._offered: list[MetricSpec] = []
        self._settled: _Settled | None = None
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
        self._offered.append(spec)
        self._settled = None

    def get(self, name: str) -> MetricSpec:
        """Return the metric with that name or alias.

        Raises:
            UnknownMetricError: there is none.
            PluginError: two distributions claim the name.
        """
        names = self._names
        actual = name if name in names.specs else names.aliases.get(name, name)
        for asked in (name, actual):
            if asked in names.claims:
                raise PluginError(names.conflict(asked), hint=names.way_out(asked))
        if actual not in names.specs:
            raise UnknownMetricError(name, [*names.specs, *names.aliases])
        return names.specs[actual]

    def list_metrics(self, category: str | None = None) -> list[str]:
        """Return the names of all metrics, or of one category, sorted."""
        return sorted(s.name for s in self if category is None or category in s.categories)

    @property
    def categories(self) -> list[str]:
        """Names of all categories, sorted."""
        return sorted({category for spec in self for category in spec.categories})

    @property
    def conflicts(self) -> dict[str, str]:
        """Names that cannot be asked for, each with the reason."""
        return {name: self._names.conflict(name) for name in self._names.claims}

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """What was left out because a built-in metric has the name."""
        return tuple(self._names.refusals)

    @property
    def usable(self) -> list[MetricSpec]:
        """The metrics that an evaluation of all takes: each name that has one owner."""
        return [spec for spec in self if spec.name not in self._names.contested]

    @property
    def left_out(self) -> dict[str, str]:
        """What an evaluation of all cannot take, with the reason: conflicts and refusals."""
        contested = {name: self._names.conflict(name) for name in self._names.contested}
        return {**contested, **{one.label: one.reason for one in self._names.refusals}}

    def __iter__(self) -> Iterator[MetricSpec]:
        return iter(self._names.specs.values())

    def __len__(self) -> int:
        return len(self._names.specs)

    def __contains__(self, name: object) -> bool:
        return name in self._names.specs or name in self._names.aliases

    @property
    def _names(self) -> _Settled:
        if self._settled is None:
            self._settled = _settle(self._offered)
        return self._settled


@dataclass
class _Settled:
    """Who has which name.

    Attributes:
        specs: Metrics by name.
        aliases: Names of metrics by alias.
        claims: The metrics that claim one name, for each name that cannot be asked for.
        contested: Names of metrics that two plugins claim, so that neither has it.
        refusals: What was left out in favour of a built-in metric.
    """

    specs: dict[str, MetricSpec] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    claims: dict[str, list[MetricSpec]] = field(default_factory=dict)
    contested: set[str] = field(default_factory=set)
    refusals: list[Refusal] = field(default_factory=list)

    def owner(self, name: str) -> MetricSpec | None:
        return self.specs.get(name) or self.specs.get(self.aliases.get(name, name))

    def conflict(self, name: str) -> str:
        origins = sorted(map(_origin, self.claims[name]))
        return f"metric {name!r} comes from both {' and '.join(origins)}"

    def way_out(self, name: str) -> str:
        if any(refusal.name == name for refusal in self.refusals):
            return "uninstall the plugin, or declare its metric with override=True"
        return "uninstall one of them"

    def add(self, spec: MetricSpec) -> None:
        owner = self.owner(spec.name)
        if owner is None:
            self.specs[spec.name] = spec
        elif _protected(owner) and not spec.override:
            self._refuse(spec, spec.name, owner)
            return
        elif owner.distribution == BUILT_IN != spec.distribution:
            self.aliases.pop(spec.name, None)
            self.specs[spec.name] = replace(spec, overrides=_origin(owner))
        else:
            self._claim(spec.name, owner, spec)
            self.contested.update({spec.name} & {owner.name})
            self.specs.setdefault(spec.name, spec)
        for alias in spec.aliases:
            self._add_alias(alias, self.specs[spec.name])

    def _add_alias(self, alias: str, spec: MetricSpec) -> None:
        owner = self.owner(alias)
        if owner is None:
            self.aliases[alias] = spec.name
        elif owner.name != spec.name and _protected(owner):
            self._refuse(spec, alias, owner)
        elif owner.name != spec.name:
            self._claim(alias, owner, spec)

    def _refuse(self, spec: MetricSpec, name: str, owner: MetricSpec) -> None:
        self._claim(name, owner, spec)
        self.refusals.append(Refusal(spec, name, owner))

    def _claim(self, name: str, first: MetricSpec, second: MetricSpec) -> None:
        known = self.claims.setdefault(name, [first])
        known.append(second)


def _settle(offered: Iterable[MetricSpec]) -> _Settled:
    """Give out the names: built-in metrics first, then what replaces them, then the rest."""
    offered = list(offered)
    settled = _Settled()
    for spec in sorted(offered, key=lambda one: (one.distribution != BUILT_IN, not one.override)):
        settled.add(spec)
    places = {spec.name: place for place, spec in reversed([*enumerate(offered)])}
    order = sorted(settled.specs, key=places.__getitem__)
    settled.specs = {name: settled.specs[name] for name in order}
    return settled


def _protected(spec: MetricSpec) -> bool:
    """Whether others cannot take its names: it is built-in, or replaces what is."""
    return spec.distribution == BUILT_IN or spec.overrides is not None


def _origin(spec: MetricSpec) -> str:
    return f"{spec.distribution or 'this program'} {spec.version}".strip()
