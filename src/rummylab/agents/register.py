"""Declare an agent where it is written: ``@register_agent`` on its kernel or its class.

The declaration holds everything the rest of the package needs to know about an agent: its game, name, summary, source,
options and variants. ``python -m rummylab.agents.index --write`` collects the declarations of this package's agents in
``index.json``, which lists them without importing a kernel. An agent of your own needs no list: pass the decorated
object to :func:`rummylab.match`, or name it on the command line as ``path/to/file.py:name``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar, overload

import numba
import numpy as np

from rummylab._jit import helper, kernel_of
from rummylab.engine.agent import CompiledAgent, Numbers
from rummylab.engine.agent_options import AgentOptions
from rummylab.engine.guard import guarded
from rummylab.engine.options import convert
from rummylab.engine.pointers import with_entry
from rummylab.engine.rows import Params
from rummylab.errors import AgentError, OptionError, UnknownNameError
from rummylab.games.registry import game as game_named

Weights = Callable[[Any], Numbers]
"""Returns the trained numbers for an agent with the given options; they follow the options in ``params``."""
C = TypeVar("C", bound=type[Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A named preset of an agent's options, listed like an agent, with a summary and a source of its own."""

    summary: str
    source: str
    options: AgentOptions
    weights: Weights | None = None
    """Trained numbers of this variant; None: those of the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What ``@register_agent`` says about an agent."""

    game: str
    name: str
    summary: str
    source: str
    home: str
    """The module that declares it."""
    options: AgentOptions
    weights: Weights | None = None
    variants: Mapping[str, Variant] = field(default_factory=dict)

    def presets(self) -> dict[str, Variant]:
        """Return the agent and its variants by name."""
        own = Variant(summary=self.summary, source=self.source, options=self.options)
        return {self.name: own, **self.variants}

    def preset(self, name: str) -> Variant:
        """Return the agent's or a variant's options by *name*; an unknown name suggests the nearest.

        Raises:
            UnknownNameError: There is no such variant.
        """
        presets = self.presets()
        if name not in presets:
            raise UnknownNameError(f"variant of {self.name}", name, presets)
        return presets[name]


class RegisteredAgent(CompiledAgent):
    """A compiled agent that knows its declaration. It is compiled when it first plays: others may only share its parts.

    Agents outside this package are compiled at once, so that a mistake shows where they are written.
    """

    def __init__(self, function: Callable[..., Any], declaration: Declaration) -> None:
        super().__init__(declaration.name, None, partial(self._numbers, declaration.options, declaration.weights))
        self.function, self.declaration = function, declaration
        if not _is_ours(function):
            _ = self.kernel

    @cached_property
    def kernel(self) -> Any:  # type: ignore[override]
        """The compiled function."""
        return _compile(self.function, self.declaration)

    def __reduce__(self) -> tuple[Any, ...]:
        """Reach another process as a plain compiled agent; the declaration stays here."""
        return CompiledAgent, (self.name, self.kernel, self.params)

    @staticmethod
    def _numbers(options: AgentOptions, weights: Weights | None) -> Params:
        parts: list[Any] = [options.params]
        if weights is not None:
            parts.append(weights(options))
        return np.concatenate([np.asarray(part, np.float32).ravel() for part in parts])

    def with_options(self, options: AgentOptions, name: str | None = None, weights: Any = None) -> CompiledAgent:
        """Return an agent with the same kernel, other *options* and, if given, other *weights*."""
        chosen = self.declaration.weights if weights is None else lambda _: weights
        return CompiledAgent(name or self.name, self.kernel, self._numbers(options, chosen))

    def configured(self, preset: str | None = None, changes: Mapping[str, str] | None = None) -> CompiledAgent:
        """Return the variant *preset* (default: the agent itself) with *changes* to its options, given as texts.

        Raises:
            UnknownNameError: If there is no such variant or option.
            OptionError: If a value is not allowed.
        """
        preset = preset or self.name
        chosen = self.declaration.preset(preset)
        numbers = convert(type(chosen.options).flat(), changes or {}, preset)
        try:
            options = chosen.options.changed(numbers)
        except OptionError as error:
            raise OptionError(f"Agent {preset!r}: {error}") from None
        weights = chosen.weights or self.declaration.weights
        words = ", ".join(f"{name}={text}" for name, text in (changes or {}).items())
        name = f"{preset}({words})" if words else preset
        return CompiledAgent(name, self.kernel, partial(self._numbers, options, weights))


class _Registration:
    """What ``register_agent(...)`` returns: the decorator."""

    def __init__(self, **declared: Any) -> None:
        self._declared = declared

    @overload
    def __call__(self, agent: C) -> C: ...
    @overload
    def __call__(self, agent: Callable[..., Any]) -> RegisteredAgent: ...
    def __call__(self, agent: Any) -> Any:
        declaration = self._declaration(agent)
        if isinstance(agent, type):
            agent.declaration = declaration  # type: ignore[attr-defined]
            if not hasattr(agent, "name"):
                agent.name = declaration.name  # type: ignore[attr-defined]
            return agent
        return RegisteredAgent(agent, declaration)

    def _declaration(self, agent: Any) -> Declaration:
        given = dict(self._declared)
        options = given.pop("options")
        options = options() if isinstance(options, type) else options
        if not isinstance(options, AgentOptions):
            raise OptionError(f"The options of {agent.__name__} must be a dataclass derived from AgentOptions.")
        for name, variant in given["variants"].items():
            if type(variant.options) is not type(options):
                raise OptionError(f"Variant {name} must have options of the type {type(options).__name__}.")
        given["name"] = given["name"] or agent.__name__.replace("_", "-")
        given["summary"] = given["summary"] or (agent.__doc__ or "").partition("\n")[0]
        return Declaration(options=options, home=agent.__module__, **given)


def register_agent(
    *,
    game: str,
    name: str = "",
    summary: str = "",
    source: str = "",
    options: type[AgentOptions] | AgentOptions = AgentOptions,
    weights: Weights | None = None,
    variants: Mapping[str, Variant] | None = None,
) -> _Registration:
    """Declare an agent for *game*: a kernel ``act(table, mine, params) -> code``, or a class with ``sit`` and ``act``.

    A kernel gets the public table, the player's private record and the float32 array *params*: the values of
    *options* (:mod:`rummylab.engine.agent_options`), then the numbers that *weights* returns for them. It returns an
    action code and may call anything that Numba compiles, the game's kernels included. The decorated name becomes a
    :class:`~rummylab.engine.agent.CompiledAgent`. A kernel outside this package works on copies of its records, of
    which only ``mine.memory`` and ``mine.rng`` are kept, and its array indexes are checked
    (:mod:`rummylab.engine.guard`).

    *name* and *summary* default to the function's name and the first line of its docstring. *options* is a class, for
    its defaults, or an instance. Each of *variants* is a named preset.

    Raises:
        AgentError: If the kernel does not compile.
        OptionError: If the options are not :class:`~rummylab.engine.agent_options.AgentOptions`.

    Example:
        >>> from rummylab import match, register_agent
        >>> from rummylab.games.gin.rules import MAX_LEGAL, legal_codes
        >>> @register_agent(game="gin", summary="Always makes the first legal move.")
        ... def first_legal(table, mine, params):
        ...     codes = np.empty(MAX_LEGAL, np.int16)
        ...     legal_codes(table, mine, codes)
        ...     return np.int64(codes[0])
        >>> first_legal
        RegisteredAgent('first-legal')
    """
    game_named(game)
    return _Registration(
        game=game,
        name=name,
        summary=summary,
        source=source,
        options=options,
        weights=weights,
        variants=dict(variants or {}),
    )


def _compile(function: Callable[..., Any], declaration: Declaration) -> Any:
    """Compile a kernel: our own as they are, others guarded."""
    signature = game_named(declaration.game).act_signature
    if _is_ours(function):
        return kernel_of(signature, function.__code__.co_filename)(with_entry(helper(function), signature))
    try:
        return guarded(function, signature)
    except (numba.core.errors.NumbaError, KeyError, TypeError, AttributeError, NotImplementedError) as error:
        raise AgentError(f"{function.__name__} does not compile as an agent for {declaration.game}: {error}") from None


def _is_ours(function: Callable[..., Any]) -> bool:
    return (function.__module__ or "").startswith("rummylab.")  # code without a module, as in exec, has none


def guarded_agent(game: str, agent: CompiledAgent) -> CompiledAgent:
    """Return *agent* with a guarded kernel, unless it belongs to this package or is guarded already."""
    function = getattr(agent.kernel, "py_func", None)
    if function is None or _is_ours(function):
        return agent
    return CompiledAgent(agent.name, guarded(function, game_named(game).act_signature), agent.params)
