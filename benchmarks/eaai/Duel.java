package rummylab;

import ginrummy.Card;
import ginrummy.GinRummyGame;
import ginrummy.GinRummyPlayer;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Random;

/**
 * Plays a bridge against another player under the official referee and prints one line of JSON per game:
 * {@code java rummylab.Duel PLAYER SEED PAIRS COMMAND...}, where COMMAND is that of the bridge.
 *
 * <p>The referee has no seed, but it draws all of a game's luck from one generator, which this program seeds: the two
 * games of a pair have the same decks and the same first starter, with the players in each other's seats. So that a run can be
 * repeated, the generators of PLAYER's own fields are seeded too, before each game.
 */
public final class Duel {
    private Duel() {}

    /** Play the pairs of games. */
    public static void main(String[] given) throws Exception {
        String[] command = new String[given.length - 3];
        System.arraycopy(given, 3, command, 0, command.length);
        GinRummyPlayer guest = (GinRummyPlayer) Class.forName(given[0]).getDeclaredConstructor().newInstance();
        Random luck = generator(GinRummyGame.class.getDeclaredField("RANDOM"), null);
        long seed = Long.parseLong(given[1]);
        try (BridgePlayer bridge = new BridgePlayer(command)) {
            awaitStart(bridge);
            for (int pair = 0; pair < Integer.parseInt(given[2]); pair++) {
                for (int seat = 0; seat < 2; seat++) {
                    long deal = new Random(seed + 0x9E3779B97F4A7C15L * pair).nextLong();
                    luck.setSeed(deal);
                    seedFields(guest, deal + 1 + seat);
                    System.out.println(play(pair, seat, bridge, guest));
                }
            }
        }
    }

    /** Ask a question of a game that ends there, so that the time of no game includes the start of the command. */
    private static void awaitStart(BridgePlayer bridge) {
        List<Card> deck = Card.getShuffle(0);
        bridge.startGame(0, 0, deck.subList(0, 10).toArray(new Card[10]));
        bridge.willDrawFaceUpCard(deck.get(10));
    }

    private static String play(int pair, int seat, BridgePlayer bridge, GinRummyPlayer guest) {
        Watch ours = new Watch(bridge);
        Watch theirs = new Watch(guest);
        GinRummyGame game = seat == 0
                ? new GinRummyGame(ours.player(), theirs.player())
                : new GinRummyGame(theirs.player(), ours.player());
        boolean isWon;
        String forfeit = "";
        try {
            isWon = game.play() == seat;
            if (ours.scores[isWon ? seat : 1 - seat] < 100) {
                forfeit = isWon ? "guest" : "bridge";
            }
        } catch (RuntimeException error) {
            if (theirs.thrown != error) {
                throw error;
            }
            error.printStackTrace();
            isWon = true;
            forfeit = "guest";
        }
        return String.format(
                "{\"pair\": %d, \"seat\": %d, \"won\": %b, \"forfeit\": \"%s\", \"hands\": %d, \"points\": [%d, %d],"
                        + " \"slowest_ms\": %.2f, \"bridge_s\": %.3f, \"guest_s\": %.3f}",
                pair, seat, isWon, forfeit, ours.hands, ours.scores[seat], ours.scores[1 - seat],
                ours.slowest / 1e6, ours.total / 1e9, theirs.total / 1e9);
    }

    private static Random generator(Field field, Object owner) throws IllegalAccessException {
        field.setAccessible(true);
        return (Random) field.get(owner);
    }

    private static void seedFields(Object player, long seed) throws IllegalAccessException {
        for (Class<?> type = player.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Random.class.isAssignableFrom(field.getType())) {
                    Random random = generator(field, Modifier.isStatic(field.getModifiers()) ? null : player);
                    if (random != null) {
                        random.setSeed(seed);
                    }
                }
            }
        }
    }

    /** Passes the calls on to a player, measures them, and notes what the referee says of the game. */
    private static final class Watch implements InvocationHandler {
        private final GinRummyPlayer inner;
        private int[] scores = new int[2];
        private int hands;
        private long slowest;
        private long total;
        private Throwable thrown;

        Watch(GinRummyPlayer inner) {
            this.inner = inner;
        }

        GinRummyPlayer player() {
            Class<?>[] types = {GinRummyPlayer.class};
            return (GinRummyPlayer) Proxy.newProxyInstance(Watch.class.getClassLoader(), types, this);
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] values) throws Throwable {
            switch (method.getName()) {
                case "startGame" -> hands++;
                case "reportScores" -> scores = ((int[]) values[0]).clone();
                default -> { }
            }
            long start = System.nanoTime();
            try {
                return method.invoke(inner, values);
            } catch (InvocationTargetException error) {
                thrown = error.getCause();
                throw thrown;
            } finally {
                long taken = System.nanoTime() - start;
                slowest = Math.max(slowest, taken);
                total += taken;
            }
        }
    }
}
