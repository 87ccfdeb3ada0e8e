"""Fill the generated tables of the documents: ``python -m rummylab.cli.tables --write`` (or without, to check).

A document marks a place with ``<!-- table: NAME -->`` and ``<!-- end -->``; what stands between comes from the code.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from rummylab.agents.registry import entries
from rummylab.engine.options import Options
from rummylab.errors import RummyError, UnknownNameError

_BLOCK = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _field_docs(options: type[Any]) -> dict[str, str]:
    """Return the docstring below each field of a class."""
    body = ast.parse(inspect.getsource(options)).body[0]
    assert isinstance(body, ast.ClassDef)
    docs, last = {}, ""
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            last = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and last:
            docs[last] = " ".join(str(node.value.value).split()).replace("``", "`")
            last = ""
    return docs


def options_table(options: type[Options]) -> str:
    """Return every option with its value in each preset."""
    presets = {name: options.preset(name).to_dict() for name in options.PRESETS}
    docs = _field_docs(options)
    first = next(iter(presets.values()))
    rows = [
        (f"`{name}`", *(str(values[name]) for values in presets.values()), docs.get(name, name.replace("_", " ")))
        for name in first
    ]
    return _table(("option", *presets, "meaning"), rows)


def fields_table(module: Any, name: str) -> str:
    """Return the fields of the record *name* with the comments beside them."""
    dtype = getattr(module, name)
    source = inspect.getsource(module)
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


def _options(home: str, name: str) -> Callable[[], str]:
    return lambda: options_table(getattr(import_module(f"rummylab.games.{home}.options"), name))


def _actions(home: str) -> Callable[[], str]:
    def table() -> str:
        actions = import_module(f"rummylab.games.{home}.game").ACTION_TABLE
        rows = [(f"`{words}`", code, meaning) for words, code, meaning in actions]
        return _table(("action", "code", "meaning"), rows)

    return table


def _fields(home: str, name: str) -> Callable[[], str]:
    return lambda: fields_table(import_module(f"rummylab.games.{home}.rules"), name)


def _agents(game: str) -> Callable[[], str]:
    return lambda: _table(
        ("agent", "what it does", "source"), [(f"`{e.name}`", e.summary, e.source) for e in entries(game)]
    )


def _keys(home: str, name: str) -> Callable[[], str]:
    """Return the keys that a class of the experiments reads from a file, without those of its parent."""

    def table() -> str:
        kind = getattr(import_module(f"rummylab.arena.experiment.{home}"), name)
        docs = _field_docs(kind)
        rows = [
            (f"`{field.name}`", _default(field), docs.get(field.name, field.name.replace("_", " ")))
            for field in dataclasses.fields(kind)
            if field.name in kind.__annotations__
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
        return _table(("what", "measured"), [(row["what"], row["measured"]) for row in figures["rows"]])

    return table


def _mindist_example(part: str) -> Callable[[], str]:
    def block() -> str:
        from rummylab.cli.hand_indian import lines_of

        hand, wild = EXAMPLES[part]
        return "```\n" + "\n".join(lines_of(hand, wild)) + "\n```\n"

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


TABLES: dict[str, Callable[[], str]] = {
    "gin-options": _options("gin", "GinOptions"),
    "gin-actions": _actions("gin"),
    "gin-public": _fields("gin", "TABLE"),
    "gin-private": _fields("gin", "MINE"),
    "gin-agents": _agents("gin"),
    "gin-speed": _speed("gin"),
    "indian-options": _options("indian", "IndianOptions"),
    "indian-actions": _actions("indian"),
    "indian-public": _fields("indian", "TABLE"),
    "indian-private": _fields("indian", "MINE"),
    "indian-agents": _agents("indian"),
    "indian-speed": _speed("indian"),
    "chinese-speed": _speed("chinese"),
    "gin-course-speed": _speed("gin-course"),
    "kuhn-cfr": _kuhn,
    "gin-cfr": _gin_cfr,
    "chinese-options": _options("contract", "ContractOptions"),
    "chinese-actions": _actions("contract"),
    "chinese-public": _fields("contract", "TABLE"),
    "chinese-private": _fields("contract", "MINE"),
    "chinese-agents": _agents("chinese"),
    "gin-course-options": _options("gin_course", "GinCourseOptions"),
    "gin-course-actions": _actions("gin_course"),
    "gin-course-public": _fields("gin_course", "TABLE"),
    "gin-course-private": _fields("gin_course", "MINE"),
    "gin-course-agents": _agents("gin-course"),
    "experiment-step": _keys("steps", "Step"),
    "experiment-match": _keys("steps", "MatchStep"),
    "experiment-tournament": _keys("steps", "TournamentStep"),
    "experiment-ordered": _keys("steps", "OrderedStep"),
    "experiment-field": _keys("steps", "FieldStep"),
    "experiment-expect": _keys("verdicts", "Expectation"),
    "mindist-thirteen": _mindist_example("thirteen"),
    "mindist-fourteen": _mindist_example("fourteen"),
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


def documents(root: Path) -> list[Path]:
    """Return the documents that may hold generated tables."""
    return [path for path in [*root.glob("*.md"), *root.glob("docs/**/*.md")] if "<!-- table:" in path.read_text()]


def main(arguments: list[str]) -> int:
    stale = []
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
