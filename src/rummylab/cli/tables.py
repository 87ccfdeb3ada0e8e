"""Fill the generated tables of the documents: ``python -m rummylab.cli.tables --write`` (or without, to check).

A document marks a place with ``<!-- table: NAME -->`` and ``<!-- end -->``; what stands between comes from the code.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from rummylab.agents.registry import entries, entry
from rummylab.cli.field_docs import field_docs
from rummylab.engine import protocol, two_decks
from rummylab.engine.observation import Observation
from rummylab.engine.options import Options
from rummylab.engine.spec import GameSpec
from rummylab.errors import RummyError, UnknownNameError
from rummylab.games.registry import GAMES

_BLOCK = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def options_table(options: type[Options]) -> str:
    """Return every option with its value in each preset."""
    presets = {name: options.preset(name).to_dict() for name in options.PRESETS}
    docs = field_docs(options)
    first = next(iter(presets.values()))
    rows = [
        (f"`{name}`", *(str(values[name]) for values in presets.values()), docs.get(name, name.replace("_", " ")))
        for name in first
    ]
    return _table(("option", *presets, "meaning"), rows)


def fields_table(module: Any, name: str) -> str:
    """Return the fields of the record *name* with the comments beside them."""
    dtype = getattr(module, name)
    source = "".join(map(inspect.getsource, (module, two_decks)))  # games with two decks share a record
    block = source[source.index(f"\n{name} = np.dtype(") :]
    block = block[: block.index("\n)\n")]
    comments = dict(re.findall(r'\("(\w+)", [^#\n]*\),?(?:  # (.*))?\n', block))
    rows = [
        (
            f"`{field}`",
            f"`{dtype.fields[field][0].base.name}`" + _shape(dtype.fields[field][0]),
            comments.get(field, ""),
        )
        for field in dtype.names
        if dtype.fields[field][0].names is None
    ]
    return _table(("field", "type", "meaning"), rows)


def _shape(dtype: Any) -> str:
    return " x ".join(["", *map(str, dtype.shape)]) if dtype.shape else ""


def actions_table(spec: GameSpec) -> str:
    """Return every kind of action of a game with its code."""
    rows = []
    for verb in spec.verbs:
        first = int(getattr(spec.kernels, verb.code))
        formula = verb.formula or ("card" if verb.takes else "")
        rows.append((f"`{verb.pattern}`", f"{first} + {formula}" if formula else str(first), verb.meaning))
    return _table(("action", "code", "meaning"), rows)


_COMMON = ("phase", "actor", "hand", "upcard", "pile", "stock", "known", "scores", "legal")
"""What every observation has, in the order of the documents."""


def observation_table(spec: GameSpec) -> str:
    """Return the parts of a game's observation: those of every game, then its own."""
    kind = spec.observation
    own = [name for parent in kind.__mro__ if parent is not object for name in vars(parent)]
    added = [name for name in dict.fromkeys(own) if not (name.startswith("_") or hasattr(Observation, name))]
    rows = []
    for name in (*_COMMON, *added):
        part = getattr(kind, name)
        call = "" if isinstance(part, property) else f"({', '.join(list(inspect.signature(part).parameters)[1:])})"
        first = (inspect.getdoc(part) or "").partition("\n")[0].replace("``", "`").replace("*", "`")
        rows.append((f"`{name}{call}`", first))
    return _table(("part", "meaning"), rows)


def planes_table(spec: GameSpec) -> str:
    """Return the planes and scalars of a game's tensors, with their places, at the smallest table."""
    from rummylab.engine.tensors import Layout

    layout = Layout(spec.module("tensors").TENSORS, spec.kernels.VIEW, spec.seats[0])
    rows = []
    for part in layout.parts:
        place = layout.places[part.name]
        divisor = float(getattr(part, "scale", 1.0))
        scale = f", / {divisor:g} in float32" if divisor != 1.0 else ""
        where = f"{place.start}-{place.stop - 1}" if place.stop - place.start > 1 else str(place.start)
        rows.append((f"`{part.name}`", where, layout.words(part) + scale, part.meaning, f"`{part.field}`"))
    lost = ", ".join(f"`{name}`" for name in layout.lost)
    return (
        _table(("part", "place", "numbers", "meaning", "field"), rows)
        + f"\nNot in the tensor, or not in full: {lost}.\n"
    )


def choices_table(spec: GameSpec) -> str:
    """Return the compact numbering of a game's actions."""
    from rummylab.engine.tensors import Numbering

    numbering = Numbering(spec.module("tensors").TENSORS.choices)
    rows = []
    for choice, first in zip(numbering.choices, numbering.firsts, strict=True):
        numbers = f"{first}-{first + choice.size - 1}" if choice.cards else str(first)
        rows.append((numbers, f"`{choice.words}{' CARD' if choice.cards else ''}`", choice.meaning))
    return _table(("number", "action", "meaning"), rows)


def _info_table() -> str:
    from rummylab.envs.vector import INFO

    return _table(("field", "meaning"), ((f"`{name}`", meaning) for name, meaning in INFO.items()))


def _tables_of(spec: GameSpec) -> dict[str, Callable[[], str]]:
    """Return the tables of one game, by name."""
    return {
        f"{spec.name}-options": lambda: options_table(spec.options),
        f"{spec.name}-actions": lambda: actions_table(spec),
        f"{spec.name}-observation": lambda: observation_table(spec),
        f"{spec.name}-public": lambda: fields_table(spec.kernels, "TABLE"),
        f"{spec.name}-private": lambda: fields_table(spec.kernels, "MINE"),
        f"{spec.name}-planes": lambda: planes_table(spec),
        f"{spec.name}-choices": lambda: choices_table(spec),
        f"{spec.name}-agents": _agents(spec.name),
        f"{spec.name}-speed": _speed(spec.name),
    }


def _agent_options(game: str, name: str) -> Callable[[], str]:
    """Return the options of an agent, from the index."""
    found = entry(game, name)
    rows = [(f"`{o.name}`", f"{float(o.default):g}", o.range, o.meaning) for o in found.options]
    return lambda: _table(("option", f"`{name}`", "range", "meaning"), rows)


def _agents(game: str) -> Callable[[], str]:
    return lambda: _table(
        ("agent", "what it does", "source"), [(f"`{e.name}`", e.summary, e.source) for e in entries(game)]
    )


def _keys(home: str, name: str) -> Callable[[], str]:
    """Return the keys that a class of the experiments reads from a file, without those that every step has."""

    def table() -> str:
        kind = getattr(import_module(f"rummylab.lab.experiment.{home}"), name)
        parents = [parent for parent in kind.__mro__ if hasattr(parent, "__dataclass_fields__")]
        own = {key for parent in parents[: max(1, len(parents) - 1)] for key in parent.__annotations__}
        docs = {key: text for parent in reversed(parents) for key, text in field_docs(parent).items()}
        rows = [
            (f"`{field.name}`", _default(field), docs.get(field.name, field.name.replace("_", " ")))
            for field in dataclasses.fields(kind)
            if field.name in own
        ]
        return _table(("key", "default", "meaning"), rows)

    return table


def _default(field: Any) -> str:
    if field.default is dataclasses.MISSING:
        return "needed"
    return "" if field.default in (None, "", ()) else f"`{json.dumps(field.default)}`"


def _speed(game: str) -> Callable[[], str]:
    def table() -> str:
        figures = json.loads((_root() / f"docs/results/{game}-speed.json").read_text())
        compares = any("ratio" in row for row in figures["rows"])
        columns = ("what", "measured", *(("compared", "ratio") if compares else ()))
        rows = [tuple(row.get(column, "") for column in columns) for row in figures["rows"]]
        shown = _table(tuple(column.replace("compared", "compared with") for column in columns), rows)
        return f"{shown}\nMeasured on {figures['machine']}.\n"

    return table


def _mindist_example(part: str) -> Callable[[], str]:
    def block() -> str:
        cards, wild = EXAMPLES[part]
        return "```\n" + "\n".join(GAMES["indian"].evaluate(cards, wild=wild).lines()) + "\n```\n"

    return block


def _kuhn() -> str:
    """Return how CFR closes in on Kuhn poker."""
    from rummylab.learning.cfr.exploit import nash_conv, value
    from rummylab.learning.cfr.games.kuhn import Kuhn
    from rummylab.learning.cfr.solver import Solver
    from rummylab.learning.cfr.tree import flatten

    solver = Solver(flatten(Kuhn()), "cfr")
    shown = ("J ", "Q ", "K ", "J pb", "Q pb", "J p", "Q b")
    rows = []
    for iterations in (1, 10, 100, 1000, 10_000):
        solver.run(iterations - solver.iterations)
        policy = solver.average_policy()
        bets = (f"{policy[solver.tree.slots_of(key)][1]:.3f}" for key in shown)
        figures = (f"{value(solver.tree, policy):.4f}", f"{nash_conv(solver.tree, policy):.4f}")
        rows.append((f"{iterations:,}", *bets, *figures))
    return _table(("iterations", *(f"`{key.strip()}`" for key in shown), "value", "NashConv"), rows)


def _gin_cfr() -> str:
    """Return where the trained tables of Gin come from."""
    from rummylab.agents.gin.cfr_tables import bundled

    manifest = bundled().manifest
    result, won = manifest["result"], manifest["result"]["against_untrained"]
    met = ", ".join(f"{name} {n:,}" for name, n in result["sets_met"].items())
    rows = [
        ("command", f"`{manifest['command']}`"),
        ("hands learned from", f"{result['iterations']:,}"),
        ("hands played on to try an action", f"{result['hands_played_on']:,}"),
        ("decisions learned from", f"{result['decisions_learned']:,}"),
        ("time of one core", f"{result['seconds']:,.0f} seconds"),
        ("sampled hands per second, both kinds", f"{result['sampled_hands_per_s']:,}"),
        ("information sets met", met),
        *(
            [("average strategy moves by less than 1% a block", _settled(result["settled"]))]
            if "settled" in result
            else []
        ),
        (
            f"against untrained tables, {won['games']:,} games",
            f"{won['win_rate']:.1%} of the games, {won['points_per_hand']:+.2f} points a hand",
        ),
    ]
    return _table(("the trained tables", ""), rows)


def _settled(tables: dict[str, Any]) -> str:
    words = (
        f"{name} after {at['hands']:,} hands ({at['seconds']:,.0f} s)" if at else f"{name} not yet"
        for name, at in tables.items()
    )
    return ", ".join(words)


EXAMPLES = {
    "thirteen": ("5h 6h 7h Js Qs 2s 8d 9d Td Kc Kd 4s Ac", "2"),
    "fourteen": ("5h 6h 7h Js Qs 2s 8d 9d Td Kc Kd 4s Ac 8h", "2"),
}
"""The hands of docs/concepts/mindist.md: cards and wild rank."""


def _commands() -> str:
    from rummylab.cli.command_page import command_page

    return command_page()


def _studies(folder: str = "docs/results/") -> str:
    """Return the studies with how many of their papers' figures were reproduced; *folder* leads to their pages."""
    head = ("study", "figures of the paper", "reproduced", "direction only", "higher or lower", "open")
    return _table(head, _study_rows(folder))


def _study_rows(folder: str) -> Iterable[tuple[str, ...]]:
    for path in sorted(_root().glob("docs/results/*/results.json")):
        study = json.loads(path.read_text())
        verdicts = Counter(figure["verdict"] for figure in study["expect"] if not figure["ours"])
        if verdicts:
            link = f"[{study['title'].partition(':')[0]}]({folder}{path.parent.name}/README.md)"
            counts = (verdicts["reproduced"], verdicts["direction only"], verdicts["higher"] + verdicts["lower"])
            yield link, *map(str, (verdicts.total(), *counts, verdicts["open"]))


TABLES: dict[str, Callable[[], str]] = {
    "commands": _commands,
    "env-info": _info_table,
    "studies": _studies,
    "studies-here": partial(_studies, ""),
    **{name: table for spec in GAMES.values() for name, table in _tables_of(spec).items()},
    "kuhn-cfr": _kuhn,
    "gin-cfr": _gin_cfr,
    **{f"{name}-formats": partial(options_table, spec.formats) for name, spec in GAMES.items() if spec.formats},
    "experiment-step": _keys("steps", "Step"),
    "experiment-match": _keys("steps", "MatchStep"),
    "experiment-tournament": _keys("steps", "TournamentStep"),
    "experiment-ordered": _keys("steps", "OrderedStep"),
    "experiment-field": _keys("steps", "CommonOpponentsStep"),
    "experiment-expect": _keys("verdicts", "Expectation"),
    "mindist-thirteen": _mindist_example("thirteen"),
    "mindist-fourteen": _mindist_example("fourteen"),
    **{
        f"{one.game}-{one.name}-options": _agent_options(one.game, one.name)
        for one in entries()
        if one.options and one.variant_of is None
    },
}


def _root() -> Path:
    return Path(__file__).resolve().parents[3]


def fill(text: str) -> str:
    """Return *text* with every generated table renewed."""

    def renew(block: re.Match[str]) -> str:
        name = block["name"]
        if name not in TABLES:
            raise UnknownNameError("table", name, TABLES)
        return f"{block[1]}{TABLES[name]()}{block[4]}"

    return _BLOCK.sub(renew, text)


POSITION_SCHEMA: Final = "docs/reference/position.schema.json"
"""The published JSON Schema of positions."""


ENGINE_SCHEMA: Final = "docs/reference/engine-protocol.schema.json"
"""The published JSON Schema of the engine protocol."""


def documents(root: Path) -> list[Path]:
    """Return the documents that may hold generated tables."""
    return [path for path in [*root.glob("*.md"), *root.glob("docs/**/*.md")] if "<!-- table:" in path.read_text()]


def position_schema() -> str:
    """Return the contents of `POSITION_SCHEMA`."""
    from rummylab.games import lookup

    return json.dumps(lookup.position_schema(), indent=1) + "\n"


def engine_schema() -> str:
    """Return the contents of `ENGINE_SCHEMA`."""
    return json.dumps(protocol.SCHEMA, indent=1) + "\n"


def main(arguments: list[str]) -> int:
    stale = []
    for name, contents in ((POSITION_SCHEMA, position_schema()), (ENGINE_SCHEMA, engine_schema())):
        schema = _root() / name
        if not schema.exists() or schema.read_text() != contents:
            stale.append(schema)
            if "--write" in arguments:
                schema.write_text(contents)
    for path in documents(_root()):
        text = path.read_text()
        if (fresh := fill(text)) != text:
            stale.append(path)
            if "--write" in arguments:
                path.write_text(fresh)
    for path in stale:
        sys.stderr.write(f"{'renewed' if '--write' in arguments else 'out of date'}: {path.name}\n")
    return 0 if "--write" in arguments else len(stale)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RummyError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
