"""Rounds of contract rummy, contract by contract: how many are void, how long they take, how fast they are played.

    python benchmarks/contract_rounds.py --rounds 4000 --write docs/results/contract
    python benchmarks/contract_rounds.py --rounds 1000 --rules "liverpool-7(seats=5, max_reshuffles=10)"

Every round is dealt once, with the same agent in every seat; intervals are Wilson's, 95%.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.agents.registry import agent
from rummylab.arena.statistics import wilson
from rummylab.cards.rng import root_of
from rummylab.games.contract.batch import OUTCOMES, play_seatings, tally_for
from rummylab.games.contract.options import ContractOptions
from rummylab.games.contract.view import ContractRummy

SEATS = {
    "chinese": (2,),
    "chinese-literal": (2,),
    "chinese-7": (2, 3, 4, 5, 6),
    "contract-7": (2, 3, 4, 5, 6),
    "liverpool-7": (3, 4, 5),
    "shanghai-10": (3, 4),
}
VOID = OUTCOMES.index("void")


def one_contract(whole: ContractOptions, number: int) -> tuple[str, ContractRummy]:
    """The contract of a round, and rules that play this round alone."""
    contract = whole.contracts[number]
    alone: dict[str, Any] = {"contract": str(contract), "hand_sizes": str(contract.hand), "rounds": 1}
    alone["buys"] = str(whole.buys_by_round[number])
    return str(contract), ContractRummy(ContractOptions.from_dict(whole.to_dict() | alone))


def measure(name: str, preset: str, options: ContractOptions, number: int, rounds: int, seed: int) -> dict[str, Any]:
    """Play the rounds of one contract."""
    (contract, rules), seats = one_contract(options, number), options.seats
    players: list[Any] = [agent("contract", name) for _ in range(seats)]
    acts, params = [player.kernel for player in players], [player.params for player in players]
    tallies = np.zeros(rounds, tally_for(seats))
    where = rules.new_rows(1), root_of(seed), 0
    began = time.thread_time()
    play_seatings(*where, [tuple(range(seats))], acts, params, tallies)
    seconds = time.thread_time() - began
    void = wilson(tallies["outcomes"][:, VOID].mean(), rounds)
    return {
        "agent": name,
        "preset": preset,
        "seats": seats,
        "round": number + 1,
        "contract": contract,
        "rounds": rounds,
        "void": [void.value, void.low, void.high],
        "turns": float(tallies["turns"].mean()),
        "decisions_us": 1e6 * seconds / float(tallies["decisions"].sum()),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The results as a Markdown table."""
    lines = ["| preset | seats | round | contract | void | 95% interval | turns |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        value, low, high = (f"{100 * share:.1f}%" for share in row["void"])
        where = f"| `{row['preset']}` | {row['seats']} | {row['round']} | {row['contract']}"
        lines.append(f"{where} | {value} | {low} to {high} | {row['turns']:.1f} |")
    return "\n".join(lines)


def by_preset(rows: list[dict[str, Any]]) -> str:
    """The share of void rounds in a whole match, by preset and seats."""
    lines = ["| preset | seats | void rounds | 95% interval |", "|---|---|---|---|"]
    for preset, seats in dict.fromkeys((row["preset"], row["seats"]) for row in rows):
        these = [row for row in rows if (row["preset"], row["seats"]) == (preset, seats)]
        share = wilson(sum(row["void"][0] for row in these) / len(these), sum(row["rounds"] for row in these))
        interval = f"{100 * share.low:.2f}% to {100 * share.high:.2f}%"
        lines.append(f"| `{preset}` | {seats} | {100 * share.value:.2f}% | {interval} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", default="contract-greedy")
    parser.add_argument("--rounds", type=int, default=4000, help="rounds of each contract")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--write", type=Path, help="keep the results in this directory")
    parser.add_argument("--rules", help="play by these rules only, such as 'liverpool-7(seats=5, max_reshuffles=10)'")
    arguments = parser.parse_args()
    tables = [(preset, ContractOptions.parse(preset, seats=n)) for preset, seats in SEATS.items() for n in seats]
    if arguments.rules:
        tables = [(arguments.rules, ContractOptions.parse(arguments.rules))]
    rows = []
    for preset, options in tables:
        for number in range(len(options.contracts)):
            rows.append(measure(arguments.agent, preset, options, number, arguments.rounds, arguments.seed))
            print(table(rows[-1:]).splitlines()[-1], f"{rows[-1]['decisions_us']:.1f} us a decision", flush=True)
    print(by_preset(rows))
    if arguments.write:
        (arguments.write / f"{arguments.agent}.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
