"""The adapter for the official Java referee (``benchmarks/eaai``), against stand-ins for the referee's classes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_referee import conduct, referee
from loading import load_module
from rummylab.agents.registry import agent as named_agent
from rummylab.engine.streams import player_stream
from rummylab.games.gin.view import gin
from rummylab.interop.bridge import Bridge
from waiting import PATIENCE

DRIVER = Path(__file__).parents[2] / "benchmarks" / "eaai.py"

needs_java = pytest.mark.skipif(shutil.which("javac") is None, reason="the adapter is Java, and no javac is installed")

CLASSES = {
    "Card": """
        package ginrummy;
        public class Card {
            public static java.util.HashMap<String, Card> strCardMap = new java.util.HashMap<>();
            private final String name;
            private Card(String name) { this.name = name; }
            public String toString() { return name; }
            static {
                for (String suit : "CHSD".split("")) for (String rank : "A23456789TJQK".split(""))
                    strCardMap.put(rank + suit, new Card(rank + suit));
            }
            public static java.util.Stack<Card> getShuffle(int seed) {
                java.util.Stack<Card> deck = new java.util.Stack<>();
                deck.addAll(strCardMap.values());
                return deck;
            }
        }""",
    "GinRummyPlayer": """
        package ginrummy;
        import java.util.ArrayList;
        public interface GinRummyPlayer {
            default void startGame(int player, int starter, Card[] cards) {}
            default boolean willDrawFaceUpCard(Card card) { return false; }
            default void reportDraw(int player, Card card) {}
            default Card getDiscard() { return null; }
            default void reportDiscard(int player, Card card) {}
            default ArrayList<ArrayList<Card>> getFinalMelds() { return null; }
            default void reportFinalMelds(int player, ArrayList<ArrayList<Card>> melds) {}
            default void reportScores(int[] scores) {}
            default void reportLayoff(int player, Card card, ArrayList<Card> meld) {}
            default void reportFinalHand(int player, ArrayList<Card> hand) {}
        }""",
    # A game of one hand that a seat wins by chance: by 100 points, or because the other seat forfeits.
    "GinRummyGame": """
        package ginrummy;
        import java.util.Random;
        public class GinRummyGame {
            private static final Random RANDOM = new Random();
            private final GinRummyPlayer[] players;
            public GinRummyGame(GinRummyPlayer first, GinRummyPlayer second) {
                players = new GinRummyPlayer[] {first, second};
            }
            public int play() {
                int winner = RANDOM.nextInt(2);
                boolean isForfeit = RANDOM.nextInt(2) == 0;
                Card[] cards = Card.getShuffle(0).subList(0, 10).toArray(new Card[10]);
                for (int i = 0; i < 2; i++) players[i].startGame(i, 0, cards);
                int[] scores = winner == 0 ? new int[] {103, 7} : new int[] {7, 103};
                for (int i = 0; i < 2 && !isForfeit; i++) players[i].reportScores(scores);
                return winner;
            }
        }""",
    "Guest": "package ginrummy; public class Guest implements GinRummyPlayer {}",
    # Reads a referee's lines, makes the calls that they stand for, and prints what the player answers.
    "Replay": """
        package ginrummy;
        import java.util.ArrayList;
        import java.util.Arrays;
        import java.util.List;
        public class Replay {
            static ArrayList<Card> cards(String text) {
                ArrayList<Card> all = new ArrayList<>();
                if (!text.equals("-")) for (String name : text.split(",")) all.add(Card.strCardMap.get(name));
                return all;
            }
            static ArrayList<ArrayList<Card>> melds(String text) {
                ArrayList<ArrayList<Card>> all = new ArrayList<>();
                if (!text.equals("-")) for (String meld : text.split("/")) all.add(cards(meld));
                return all;
            }
            static String spell(List<Card> cards) { return cards.toString().replaceAll("[\\\\[ \\\\]]", ""); }
            public static void main(String[] given) throws Exception {
                String[] command = Arrays.copyOfRange(given, 1, given.length);
                try (rummylab.BridgePlayer player = new rummylab.BridgePlayer(command)) {
                    for (String line : java.nio.file.Files.readAllLines(java.nio.file.Path.of(given[0]))) {
                        String[] w = line.split(" ");
                        int seat = w.length > 1 && w[1].matches("[01]") ? number(w[1]) : 0;
                        switch (w[0]) {
                            case "start" ->
                                player.startGame(seat, number(w[2]), cards(w[3]).toArray(new Card[10]));
                            case "draw?" ->
                                System.out.println(player.willDrawFaceUpCard(cards(w[1]).get(0)) ? "y" : "n");
                            case "drew" -> player.reportDraw(seat, w[2].equals("?") ? null : cards(w[2]).get(0));
                            case "discard?" -> System.out.println(player.getDiscard());
                            case "discarded" -> player.reportDiscard(seat, cards(w[2]).get(0));
                            case "melds?" -> {
                                ArrayList<ArrayList<Card>> melds = player.getFinalMelds();
                                ArrayList<String> all = new ArrayList<>();
                                if (melds != null) for (ArrayList<Card> meld : melds) all.add(spell(meld));
                                System.out.println(
                                    melds == null ? "pass" : melds.isEmpty() ? "-" : String.join("/", all));
                            }
                            case "melds" -> player.reportFinalMelds(seat, melds(w[2]));
                            case "layoff" -> player.reportLayoff(seat, cards(w[2]).get(0), cards(w[3]));
                            case "hand" -> player.reportFinalHand(seat, cards(w[2]));
                            case "scores" -> player.reportScores(new int[] {number(w[1]), number(w[2])});
                            default -> { }
                        }
                    }
                }
            }
            static int number(String text) { return Integer.parseInt(text); }
        }""",
}

SCRIPTED = """
import sys
answers = iter(open(sys.argv[1]).read().splitlines())
with open(sys.argv[2], "w") as heard:
    for line in sys.stdin:
        heard.write(line)
        if line.split()[0].endswith("?"):
            print(next(answers), flush=True)
"""


@pytest.fixture(scope="module")
def driver() -> Any:
    return load_module(DRIVER, "bench_eaai")


@pytest.fixture(scope="module")
def class_path(driver: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Compile the stand-ins and the adapter."""
    classes = tmp_path_factory.mktemp("classes")
    source = tmp_path_factory.mktemp("source")
    for name, text in CLASSES.items():
        (source / f"{name}.java").write_text(text)
    stand_ins = [str(source / f"{name}.java") for name in CLASSES if name != "Replay"]
    subprocess.run(["javac", "-d", str(classes), *stand_ins], check=True, timeout=PATIENCE)
    found: str = driver.compiled(classes, tmp_path_factory.mktemp("adapter"))
    replay = ["javac", "-cp", found, "-d", str(classes), str(source / "Replay.java")]
    subprocess.run(replay, check=True, timeout=PATIENCE)
    return found


def heard_by_seat_0(games: int) -> list[tuple[str, str | None]]:
    """Return the lines that the scripted referee sends to seat 0, each with its answer."""
    told: list[tuple[str, str | None]] = []
    bridges = [Bridge(named_agent("gin", "simple"), player_stream(seat)) for seat in range(2)]

    def noted(line: str) -> str | None:
        told.append((line, bridges[0].hear(line)))
        return told[-1][1]

    players: list[Callable[[str], str | None]] = [noted, bridges[1].hear]
    conduct(referee(gin("eaai"), 5, games=games), players)
    return told


@needs_java
@pytest.mark.parametrize("forfeit", [False, True], ids=["played to the end", "a game is forfeited"])
def test_the_java_player_sends_the_lines_of_our_referee(class_path: str, tmp_path: Path, forfeit: bool) -> None:
    told = heard_by_seat_0(games=3)
    if forfeit:
        second = [i for i, (line, _) in enumerate(told) if line == "newgame"][1]
        cut = max(i for i, (line, _) in enumerate(told[:second]) if line == "discard?")
        told = told[: cut + 1] + told[second:]
    answers = [answer for _, answer in told if answer is not None]
    verbs = {line.split()[0] for line, _ in told}
    assert verbs >= {"layoff", "melds?", "drew"}, "the games show every kind of line"
    (tmp_path / "lines").write_text("".join(line + "\n" for line, _ in told))
    (tmp_path / "answers").write_text("".join(answer + "\n" for answer in answers))
    (tmp_path / "scripted.py").write_text(SCRIPTED)
    child = [sys.executable, *(str(tmp_path / name) for name in ("scripted.py", "answers", "heard"))]
    java = ["java", "-cp", class_path, "ginrummy.Replay", str(tmp_path / "lines"), *child]
    printed = subprocess.run(java, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    assert (tmp_path / "heard").read_text().splitlines() == [line for line, _ in told]
    assert printed.splitlines() == answers


@needs_java
def test_the_games_of_a_pair_have_the_same_luck_and_forfeits_count(driver: Any, class_path: str) -> None:
    played = list(driver.games(class_path, "simple", "ginrummy.Guest", 8, 3))
    assert [(game["pair"], game["seat"]) for game in played] == [(pair, seat) for pair in range(8) for seat in (0, 1)]
    for first, second in zip(played[::2], played[1::2], strict=True):
        assert first["won"] != second["won"], "the same seat wins both, with the players in each other's seats"
        assert bool(first["forfeit"]) == bool(second["forfeit"])
    for game in played:
        loser = "guest" if game["won"] else "bridge"
        assert (game["forfeit"], game["points"]) in [(loser, [0, 0]), ("", [103, 7] if game["won"] else [7, 103])]
    assert 0 < sum(bool(game["forfeit"]) for game in played) < 16
    assert len({game["won"] for game in played[::2]}) == 2, "the pairs differ from each other"


def test_the_summary_is_clustered_by_pair_and_counts_forfeits(driver: Any) -> None:
    def game(won: bool, forfeit: str = "", slowest: float = 1.0) -> str:
        points = [100, 40] if won else [20, 100]
        times = {"slowest_ms": slowest, "bridge_s": slowest / 10, "guest_s": 0.25}
        return json.dumps({"pair": 0, "won": won, "forfeit": forfeit, "hands": 4, "points": points, **times})

    alike, split = [game(True), game(True)], [game(True, slowest=7.5), game(False, "bridge")]
    lines = ["a player may print too", *(alike + split) * 20]
    found = driver.summary(list(driver.results(lines)))
    assert found["games"] == 80
    assert found["won"] == 0.75
    assert found["interval"] == [0.6715, 0.8285]  # 40 pairs with shares of 1 and 0.5: 0.75 +- 1.96 * sqrt(0.0641 / 40)
    assert found["hands"] == 320
    assert found["points_per_hand"] == round((3 * 60 - 80) / 16, 2)
    assert found["forfeits"] == {"bridge": 20, "guest": 0}
    assert found["slowest_ms"] == 7.5
    assert found["longest_game_s"] == {"bridge": 0.75, "guest": 0.25}
