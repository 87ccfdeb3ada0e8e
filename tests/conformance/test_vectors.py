"""Hands recorded from the official referee replay exactly; a changed one is noticed; a damaged file is named."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers import write_lines
from rummylab.errors import VectorError
from rummylab.games.gin.vectors import compare_file, read_lines

SAMPLE = Path(__file__).parent / "data" / "gin_sample.jsonl.gz"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "vectors" / "gin"

Hand = dict[str, Any]


def sample() -> list[Hand]:
    return [hand for _, hand in read_lines(SAMPLE)]


# --- Exact replay -----------------------------------------------------------------------------------------------------


def test_the_sample_replays_without_a_mismatch() -> None:
    report = compare_file(SAMPLE)
    assert report.hands == 63
    assert report.mismatches == []


def test_the_sample_holds_every_kind_of_hand() -> None:
    kinds: Counter[str] = Counter()
    for hand in sample():
        result = hand["result"]
        kinds[result["type"]] += 1
        kinds[result.get("reason", "no forfeit")] += 1
        kinds["lay-off"] += sum(event[0] == "layoff" for event in hand["events"])
        if result["type"] == "undercut" and result["knocker_deadwood"] == result["defender_deadwood"]:
            kinds["tie"] += 1
    wanted = {"knock", "gin", "undercut", "cancelled", "forfeit", "tie", "lay-off"}
    wanted |= {"illegal_discard", "illegal_knock", "illegal_defender_melds"}
    assert wanted <= {kind for kind, n in kinds.items() if n}


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the full recordings are not here ({SHARED})")
@pytest.mark.parametrize(("name", "hands"), [("transcripts", 6635), ("transcripts_extra", 1223)])
def test_every_recorded_hand_replays_without_a_mismatch(name: str, hands: int) -> None:
    report = compare_file(SHARED / f"{name}.jsonl.gz")
    assert report.mismatches == []
    assert report.hands == hands


# --- Changed hands are noticed ----------------------------------------------------------------------------------------


def first(hands: list[Hand], fits: Callable[[Hand], bool]) -> int:
    return next(i for i, hand in enumerate(hands) if fits(hand))


def scored(hand: Hand) -> bool:
    return hand["result"]["type"] in ("knock", "gin", "undercut")


def event(hand: Hand, kind: str, n: int = 0) -> list[Any]:
    return [e for e in hand["events"] if e[0] == kind][n]


def has(kind: str) -> Callable[[Hand], bool]:
    return lambda hand: any(e[0] == kind for e in hand["events"])


def wrong_score(hands: list[Hand]) -> int:
    at = first(hands, scored)
    hands[at]["scores"][hands[at]["result"]["winner"]] += 1
    return at


def wrong_points(hands: list[Hand]) -> int:
    at = first(hands, scored)
    hands[at]["points"][hands[at]["result"]["winner"]] -= 1
    return at


def points_to_the_loser(hands: list[Hand]) -> int:
    at = first(hands, scored)
    hands[at]["result"]["winner"] = 1 - hands[at]["result"]["winner"]
    return at


def wrong_outcome(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"]["type"] == "gin")
    hands[at]["result"]["type"] = "knock"
    return at


def wrong_deadwood_after_a_discard(hands: list[Hand]) -> int:
    at = first(hands, lambda h: len(h["events"]) > 20)
    event(hands[at], "discard", 3)[3] += 1
    return at


def wrong_deadwood_of_the_defender(hands: list[Hand]) -> int:
    at = first(hands, has("layoff"))
    hands[at]["result"]["defender_deadwood"] += 1
    return at


def wrong_deadwood_before_lay_offs(hands: list[Hand]) -> int:
    at = first(hands, has("layoff"))
    hands[at]["result"]["defender_deadwood_before_layoff"] -= 1
    return at


def wrong_deadwood_of_the_knocker(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"]["type"] == "knock")
    hands[at]["result"]["knocker_deadwood"] += 1
    return at


def wrong_card_laid_off(hands: list[Hand]) -> int:
    at = first(hands, has("layoff"))
    entry = event(hands[at], "layoff")
    entry[2] = next(card for card in hands[at]["final_hands"][entry[1]] if card != entry[2])
    return at


def laid_off_on_another_meld(hands: list[Hand]) -> int:
    at = first(hands, lambda h: has("layoff")(h) and len(event(h, "knock")[2]) > 1)
    entry = event(hands[at], "layoff")
    entry[3] = next(meld for meld in event(hands[at], "knock")[2] if set(meld) != set(entry[3]))
    return at


def lay_off_left_out(hands: list[Hand]) -> int:
    at = first(hands, has("layoff"))
    hands[at]["events"].remove(event(hands[at], "layoff"))
    return at


def lay_off_invented(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"]["type"] == "knock" and not has("layoff")(h))
    defender = 1 - hands[at]["result"]["knocker"]
    meld = event(hands[at], "knock")[2][0]
    hands[at]["events"].append(["layoff", defender, hands[at]["final_hands"][defender][0], meld])
    return at


def legal_discard_recorded_as_illegal(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"].get("reason") == "illegal_discard")
    hand = hands[at]
    entry = event(hand, "illegal_discard")
    entry[2] = next(card for card in hand["final_hands"][entry[1]] if card != _drawn_up(hand))
    return at


def _drawn_up(hand: Hand) -> int | None:
    last = [e for e in hand["events"] if e[0] == "draw"][-1]
    return last[2] if last[3] == "up" else None


def legal_knock_recorded_as_illegal(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"]["type"] == "knock")
    hand = hands[at]
    where = hand["events"].index(event(hand, "knock"))
    hand["events"] = [*hand["events"][:where], ["illegal_knock", *hand["events"][where][1:]]]
    hand["result"] = {"type": "forfeit", "reason": "illegal_knock", "winner": 1 - hand["events"][where][1]}
    return at


def legal_defence_recorded_as_illegal(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"]["type"] == "knock")
    hands[at]["result"] = {"type": "forfeit", "reason": "illegal_defender_melds", "winner": 0}
    return at


def illegal_knock_recorded_as_legal(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"].get("reason") == "illegal_knock")
    event(hands[at], "illegal_knock")[0] = "knock"
    return at


def knock_recorded_as_a_discard(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"]["type"] == "knock")
    hand = hands[at]
    hand["events"] = hand["events"][: hand["events"].index(event(hand, "knock"))]
    return at


def knocker_with_other_melds(hands: list[Hand]) -> int:
    at = first(hands, lambda h: scored(h) and len(event(h, "knock")[2]) > 1)
    event(hands[at], "knock")[2].pop()
    return at


def wrong_starter_in_the_deal(hands: list[Hand]) -> int:
    hands[1]["start"] = 1 - hands[1]["start"]
    return 1


def starter_alternates_after_a_cancelled_hand(hands: list[Hand]) -> int:
    at = 1 + first(hands, lambda h: h["result"]["type"] == "cancelled")
    assert hands[at]["game"] == hands[at - 1]["game"]
    hands[at]["start"] = 1 - hands[at]["start"]
    return at


def wrong_card_from_the_stock(hands: list[Hand]) -> int:
    draws = next(e for e in hands[0]["events"] if e[0] == "draw" and e[3] == "down")
    draws[2] = hands[0]["deck"][-1]
    return 0


def two_cards_exchanged_in_the_deal(hands: list[Hand]) -> int:
    deck = hands[0]["deck"]
    deck[0], deck[1] = deck[1], deck[0]
    return 0


def a_card_twice_in_the_deck(hands: list[Hand]) -> int:
    hands[0]["deck"][50] = hands[0]["deck"][51]
    return 0


def wrong_final_hand(hands: list[Hand]) -> int:
    hands[2]["final_hands"].reverse()
    return 2


def offer_to_the_wrong_seat(hands: list[Hand]) -> int:
    entry = event(hands[0], "offer")
    entry[1] = 1 - entry[1]
    return 0


def wrong_score_before_the_hand(hands: list[Hand]) -> int:
    hands[1]["scores_before"][0] += 3
    return 1


def a_hand_left_out(hands: list[Hand]) -> int:
    del hands[1]
    return 1


def a_hand_played_after_the_game_was_over(hands: list[Hand]) -> int:
    at = next(i for i in range(1, len(hands)) if hands[i]["game"] != hands[i - 1]["game"])
    extra = copy.deepcopy(hands[at - 1])
    extra["hand"] += 1
    extra["scores_before"] = list(hands[at - 1]["scores"])
    hands.insert(at, extra)
    return at


def game_broken_off_early(hands: list[Hand]) -> int:
    at = next(i for i in range(1, len(hands)) if hands[i]["game"] != hands[i - 1]["game"])
    del hands[at - 1]
    return at - 1


def wrong_winner_of_a_forfeit(hands: list[Hand]) -> int:
    at = first(hands, lambda h: h["result"]["type"] == "forfeit")
    hands[at]["result"]["winner"] = 1 - hands[at]["result"]["winner"]
    return at


CHANGES = [
    wrong_score,
    wrong_points,
    points_to_the_loser,
    wrong_outcome,
    wrong_deadwood_after_a_discard,
    wrong_deadwood_of_the_defender,
    wrong_deadwood_before_lay_offs,
    wrong_deadwood_of_the_knocker,
    wrong_card_laid_off,
    laid_off_on_another_meld,
    lay_off_left_out,
    lay_off_invented,
    legal_discard_recorded_as_illegal,
    legal_knock_recorded_as_illegal,
    legal_defence_recorded_as_illegal,
    illegal_knock_recorded_as_legal,
    knock_recorded_as_a_discard,
    knocker_with_other_melds,
    wrong_starter_in_the_deal,
    starter_alternates_after_a_cancelled_hand,
    wrong_card_from_the_stock,
    two_cards_exchanged_in_the_deal,
    a_card_twice_in_the_deck,
    wrong_final_hand,
    offer_to_the_wrong_seat,
    wrong_score_before_the_hand,
    a_hand_left_out,
    a_hand_played_after_the_game_was_over,
    game_broken_off_early,
    wrong_winner_of_a_forfeit,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_hand_is_reported_by_its_line(change: Callable[[list[Hand]], int], tmp_path: Path) -> None:
    hands = sample()
    at = change(hands)
    report = compare_file(write_lines(tmp_path / "changed.jsonl.gz", hands))
    assert report.mismatches, "nothing was noticed"
    assert f"line {at + 1}," in report.mismatches[0]
    assert len(report.mismatches) <= 3, "only what was changed is reported"


# --- Damaged files ----------------------------------------------------------------------------------------------------


def text(hands: list[Hand]) -> list[str]:
    return [json.dumps(hand) for hand in hands]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(VectorError, match=r"nothing\.jsonl: cannot be read: no such file"):
        compare_file(tmp_path / "nothing.jsonl")


def test_a_truncated_gzip_file_is_reported_with_the_line_it_broke_off(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    whole = SAMPLE.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(VectorError, match=r"cut\.jsonl\.gz, after line \d+: cannot be read"):
        compare_file(path)


def test_a_file_that_is_not_gzip_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl.gz"
    path.write_text("{}\n")
    with pytest.raises(VectorError, match="cannot be read"):
        compare_file(path)


@pytest.mark.parametrize(("line", "why"), [("{oops", "not JSON"), ("[1, 2]", "JSON object"), ("7", "JSON object")])
def test_a_line_that_is_not_an_object_is_named(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join([*text(sample()[:2]), line]))
    with pytest.raises(VectorError, match=f"line 3: .*{why}"):
        compare_file(path)


@pytest.mark.parametrize(
    "key", ["game", "hand", "deck", "start", "events", "result", "scores", "final_hands", "points"]
)
def test_a_missing_key_is_named_with_its_line(tmp_path: Path, key: str) -> None:
    hands = sample()[:2]
    del hands[1][key]
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(text(hands)))
    with pytest.raises(VectorError, match=f"line 2: .*{key}"):
        compare_file(path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda hand: hand["events"].insert(0, ["draw", 0]),
        lambda hand: hand.update(deck="cards"),
        lambda hand: hand.update(events=7),
        lambda hand: hand["events"].insert(0, []),
        lambda hand: hand.update(result=None),
    ],
)
def test_a_hand_of_another_shape_is_named_with_its_line(tmp_path: Path, spoil: Callable[[Hand], None]) -> None:
    hands = sample()[:2]
    spoil(hands[1])
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(text(hands)))
    with pytest.raises(VectorError, match="line 2: not a recorded hand"):
        compare_file(path)


def test_an_event_of_an_unknown_kind_is_named_with_its_line(tmp_path: Path) -> None:
    hands = sample()[:2]
    hands[1]["events"].insert(0, ["dance", 0, 1])
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(text(hands)))
    with pytest.raises(VectorError, match="line 2"):
        compare_file(path)


@pytest.mark.parametrize("at", [9000, 5720])
def test_a_gzip_file_with_flipped_bytes_is_reported(tmp_path: Path, at: int) -> None:
    path = tmp_path / "flipped.jsonl.gz"
    whole = bytearray(SAMPLE.read_bytes())
    for i in range(at, at + 40):
        whole[i] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(VectorError, match=r"flipped\.jsonl\.gz"):
        compare_file(path)


def test_empty_lines_are_skipped_and_counted_as_lines(tmp_path: Path) -> None:
    path = tmp_path / "gaps.jsonl"
    lines = text(sample()[:2])
    path.write_text("\n\n".join(lines))
    assert compare_file(path).hands == 2
    path.write_text(f"{lines[0]}\n\n{{oops")
    with pytest.raises(VectorError, match="line 3"):
        compare_file(path)
