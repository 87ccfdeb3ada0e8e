"""Speed of Indian Rummy beside what the authors of MinDist published, on one core: ``make bench``.

Fixed inputs; the best of several repetitions. ``--write DIR`` keeps the results.
"""

from __future__ import annotations

from harness import Results, Row, in_times, main
from rummylab.arena.speed import speed
from rummylab.games.indian.bench import PUBLISHED_MS


def measure() -> Results:
    """Return the table of Indian Rummy's speed."""
    ours = speed("indian")
    rows = [
        ("MinScore of a random hand, in a batch", f"{ours['minscore_us']:.2f} us"),
        ("MinDist of a random hand, in a batch", f"{ours['mindist_us']:.2f} us"),
        ("MinDist, one call from Python", f"{ours['call_us']:.2f} us"),
        ("all discards of 14 cards with the outs of each best one, in one pass", f"{ours['discards14_us']:.1f} us"),
        ("the same by fourteen calls", f"{ours['discards14_one_by_one_us']:.1f} us ({ours['discards14_ratio']:.1f}x)"),
        ("deals among the paper's four skilled agents", f"{ours['games_per_s']:,.0f} a second"),
    ]
    if "outs_games_per_s" in ours:
        rows.append(("deals of `mindist-outs` against itself", f"{ours['outs_games_per_s']:,.0f} a second"))
    for name, label in (("minscore", "MinScore"), ("mindist", "MinDist")):
        ratio = ours[f"{name}_ratio_to_published"]
        rows.append((f"{label}: the authors' {PUBLISHED_MS[name]:.0f} ms over ours", in_times(ratio)))
    return Results([Row(what=what, measured=measured) for what, measured in rows], ours)


if __name__ == "__main__":
    main({"indian": measure}, __doc__)
