package rummylab;

import ginrummy.Card;
import ginrummy.GinRummyPlayer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Plays one of Rummylab's agents under the official EAAI-2021 referee: starts {@code rummylab bridge gin NAME} and turns
 * each call of the interface into a line (docs/guides/bridge.md).
 *
 * <p>The interface does not say when a game begins, so the player works it out: with the first hand, after 100 points,
 * and when a hand begins although the last one was not scored, which is how a forfeit ends a game.
 */
public final class BridgePlayer implements GinRummyPlayer, AutoCloseable {
    /** The command of {@link #BridgePlayer()}; the property {@code rummylab.bridge} replaces it. */
    public static final String COMMAND = "rummylab bridge gin champion-search";

    private static final int GOAL = 100;

    private final Process process;
    private final PrintWriter lines;
    private final BufferedReader answers;
    private boolean isGameOver = true;
    private boolean isHandScored = true;

    /** Start the default command, for a referee that creates its players by name. */
    public BridgePlayer() {
        this(System.getProperty("rummylab.bridge", COMMAND).split(" "));
    }

    /** Start the command whose words are given. */
    public BridgePlayer(String... command) {
        try {
            process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        lines = new PrintWriter(process.getOutputStream());
        answers = new BufferedReader(new InputStreamReader(process.getInputStream()));
    }

    @Override
    public void startGame(int player, int starter, Card[] cards) {
        if (isGameOver || !isHandScored) {
            tell("newgame");
        }
        isGameOver = isHandScored = false;
        tell("start " + player + " " + starter + " " + spell(Arrays.asList(cards)));
    }

    @Override
    public boolean willDrawFaceUpCard(Card card) {
        return ask("draw? " + card).equals("y");
    }

    @Override
    public void reportDraw(int player, Card card) {
        tell("drew " + player + " " + (card == null ? "?" : card));
    }

    @Override
    public Card getDiscard() {
        return card(ask("discard?"));
    }

    @Override
    public void reportDiscard(int player, Card card) {
        tell("discarded " + player + " " + card);
    }

    @Override
    public ArrayList<ArrayList<Card>> getFinalMelds() {
        String answer = ask("melds?");
        if (answer.equals("pass")) {
            return null;
        }
        ArrayList<ArrayList<Card>> melds = new ArrayList<>();
        if (!answer.equals("-")) {
            for (String meld : answer.split("/")) {
                ArrayList<Card> cards = new ArrayList<>();
                for (String name : meld.split(",")) {
                    cards.add(card(name));
                }
                melds.add(cards);
            }
        }
        return melds;
    }

    @Override
    public void reportFinalMelds(int player, ArrayList<ArrayList<Card>> melds) {
        String spelled = melds.stream().map(BridgePlayer::spell).collect(Collectors.joining("/"));
        tell("melds " + player + " " + (melds.isEmpty() ? "-" : spelled));
    }

    @Override
    public void reportLayoff(int player, Card card, ArrayList<Card> meld) {
        tell("layoff " + player + " " + card + " " + spell(meld));
    }

    @Override
    public void reportFinalHand(int player, ArrayList<Card> hand) {
        tell("hand " + player + " " + spell(hand));
    }

    @Override
    public void reportScores(int[] scores) {
        tell("scores " + scores[0] + " " + scores[1]);
        isHandScored = true;
        isGameOver = Math.max(scores[0], scores[1]) >= GOAL;
    }

    /** End the session and wait for the command. */
    @Override
    public void close() throws InterruptedException {
        tell("quit");
        lines.close();
        process.waitFor();
    }

    private void tell(String line) {
        lines.print(line + "\n");
        lines.flush();
    }

    private String ask(String line) {
        tell(line);
        try {
            String answer = answers.readLine();
            if (answer == null) {
                throw new IllegalStateException("the bridge ended without an answer to: " + line);
            }
            return answer;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static Card card(String name) {
        Card card = Card.strCardMap.get(name);
        if (card == null) {
            throw new IllegalStateException("the bridge answered '" + name + "', which is not a card");
        }
        return card;
    }

    private static String spell(List<Card> cards) {
        return cards.isEmpty() ? "-" : cards.stream().map(Card::toString).collect(Collectors.joining(","));
    }
}
