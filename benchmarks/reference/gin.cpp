// Gin Rummy in C++: the reference that the compiled kernels are measured against (`make bench`).
//
// Preset `eaai`, the agents `random` and `simple`, the same random streams. Both sides therefore play the same hands,
// card by card, and the benchmark checks that they do. As in the kernels, agents are functions that the loop is handed,
// and every move is checked before it is made. Unlike them, the reference knows one preset, scores one way and keeps no
// notes for beliefs. The rules are those of docs/games/gin.md.
//
//   g++ -O3 -march=native -shared -fPIC gin.cpp -o libgin.so

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

// --- Cards: a set of cards is one integer, card id = 16 * suit + rank -----------------------------------------------

constexpr i64 LANE = 0x1FFF, EACH_SUIT = 0x0001000100010001, COURT = 0x1E00;
constexpr i64 ONES = 0x0155 * EACH_SUIT, TWOS = 0x1E66 * EACH_SUIT, FOURS = 0x0078 * EACH_SUIT, EIGHTS = 0x1F80 * EACH_SUIT;

inline i64 bit(i64 card) { return i64(1) << card; }
inline int popcount(i64 cards) { return __builtin_popcountll(cards); }
inline int lowest(i64 cards) { return __builtin_ctzll(cards); }
inline int highest(i64 cards) { return 63 - __builtin_clzll(cards); }
inline i64 first_of(i64 cards) { return cards & -cards; }

inline i64 ranks_of(i64 cards) {
    const i64 half = cards | (cards >> 32);
    return (half | (half >> 16)) & LANE;
}

inline int points(i64 cards) {
    return popcount(cards & ONES) + 2 * popcount(cards & TWOS) + 4 * popcount(cards & FOURS) + 8 * popcount(cards & EIGHTS);
}

inline int nth_card(i64 cards, int n) {
#ifdef __BMI2__
    return lowest(__builtin_ia32_pdep_di(u64(1) << n, cards));
#else
    while (n--) cards &= cards - 1;
    return lowest(cards);
#endif
}

// --- Melds and deadwood ---------------------------------------------------------------------------------------------

inline i64 in_runs(i64 hand) {
    const i64 starts = hand & (hand >> 1) & (hand >> 2);
    return starts | (starts << 1) | (starts << 2);
}

inline i64 in_groups(i64 hand) {
    const u64 a = std::rotl(u64(hand), 16), b = std::rotl(u64(hand), 32), c = std::rotl(u64(hand), 48);
    return hand & i64((a & b) | ((a | b) & c));  // at least two of the other three suits
}

inline bool is_group(i64 meld) {
    const i64 ranks = ranks_of(meld);
    return (ranks & (ranks - 1)) == 0;
}

// A card in a run and in a group is the only thing that needs a choice: try every set of such cards to keep for runs.
[[gnu::noinline]] int contested_deadwood(i64 hand, i64 groups, i64 both) {
    int best = 1000;
    for (i64 kept = both;; kept = (kept - 1) & both) {
        const i64 left = hand & ~in_groups(groups & ~kept);
        const int dead = points(left & ~in_runs(left));
        if (dead < best) best = dead;
        if (kept == 0) return best;
    }
}

inline int min_deadwood(i64 hand) {
    const i64 runs = in_runs(hand), groups = in_groups(hand), both = runs & groups;
    if (both == 0) [[likely]] return points(hand & ~(runs | groups));
    return contested_deadwood(hand, groups, both);
}

struct Discards {
    i64 cards;
    int left;
};

// Throwing a card lowers deadwood by at most its value, so a melded card worth less than a loose one is no candidate.
[[gnu::noinline]] Discards best_discards_by_trial(i64 hand, i64 allowed, i64 loose) {
    i64 candidates = allowed;
    if (loose) {
        const i64 ranks = ranks_of(loose);
        const int top = ranks & COURT ? 9 : highest(ranks);
        candidates &= ((LANE << top) & LANE) * EACH_SUIT;
    }
    Discards best{0, 1000};
    for (i64 cards = candidates; cards; cards &= cards - 1) {
        const i64 card = first_of(cards);
        const int left = min_deadwood(hand & ~card);
        if (left < best.left) best = {card, left};
        else if (left == best.left) best.cards |= card;
    }
    return best;
}

inline Discards best_discards(i64 hand, i64 allowed) {
    const i64 runs = in_runs(hand), groups = in_groups(hand);
    const i64 dead = hand & ~(runs | groups), loose = dead & allowed;
    if ((runs & groups) == 0 && loose) {
        const i64 ranks = ranks_of(loose);
        const i64 best = loose & (ranks & COURT ? COURT * EACH_SUIT : EACH_SUIT << highest(ranks));
        return {best, points(dead & ~first_of(best))};
    }
    return best_discards_by_trial(hand, allowed, loose);
}

// Every meld by number: per rank the four triples, by the suit they lack, and the four of a kind; then the runs by
// length, suit and lowest rank.
constexpr int N_MELDS = 65 + 4 * 66;

constexpr std::array<i64, N_MELDS> all_melds() {
    std::array<i64, N_MELDS> melds{};
    int n = 0;
    for (int rank = 0; rank < 13; ++rank) {
        for (int suit = 0; suit < 4; ++suit) melds[n++] = (EACH_SUIT << rank) & ~(LANE << 16 * suit);
        melds[n++] = EACH_SUIT << rank;
    }
    for (int length = 3; length < 14; ++length)
        for (int suit = 0; suit < 4; ++suit)
            for (int low = 0; low < 14 - length; ++low) melds[n++] = ((i64(1) << length) - 1) << (16 * suit + low);
    return melds;
}

constexpr auto MELDS = all_melds();

bool is_meld(i64 cards) {
    if (popcount(cards) < 3) return false;
    if (is_group(cards)) return true;
    const i64 run = cards >> lowest(cards);
    return (run & (run + 1)) == 0;  // free bits between the lanes: a run cannot reach into the next suit
}

// The melds inside a hand, in the order in which `simple` counts arrangements.
int melds_in(i64 hand, i64* out) {
    int n = 0;
    const i64 groups = in_groups(hand);
    for (i64 ranks = ranks_of(groups); ranks; ranks &= ranks - 1) {
        const i64 group = groups & (first_of(ranks) * EACH_SUIT);
        out[n++] = group;
        if (popcount(group) == 4)
            for (int suit = 0; suit < 4; ++suit) out[n++] = group & ~(LANE << 16 * suit);
    }
    for (i64 starts = hand & (hand >> 1) & (hand >> 2); starts; starts &= starts - 1) {
        const i64 low = first_of(starts);
        for (i64 run = low | (low << 1) | (low << 2); (hand & run) == run; run |= run << 1) out[n++] = run;
    }
    return n;
}

struct Arrangements {
    int n;
    i64 first;  // the first meld of the arrangement asked for, or 0
};

// How many arrangements of least deadwood a hand has, and the first meld of arrangement number `which`.
Arrangements arrangement(i64 hand, int which) {
    i64 found[64];
    const int n_found = melds_in(hand, found), least = min_deadwood(hand);
    Arrangements result{points(hand) == least, 0};
    const auto count = [&](i64 left, i64 first) {
        if (points(left) != least) return;
        if (result.n++ == which) result.first = first;
    };
    for (int i = 0; i < n_found; ++i) {
        const i64 after_one = hand & ~found[i];
        count(after_one, found[i]);
        for (int j = i + 1; j < n_found; ++j) {
            if (found[j] & ~after_one) continue;
            const i64 after_two = after_one & ~found[j];
            count(after_two, found[i]);
            for (int k = j + 1; k < n_found; ++k)
                if ((found[k] & ~after_two) == 0) count(after_two & ~found[k], found[i]);
        }
    }
    return result;
}

// --- Random numbers: splitmix64, and SipHash-2-4 for the players' streams --------------------------------------------

constexpr u64 GOLDEN = 0x9E3779B97F4A7C15;

inline u64 scramble(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

inline i64 below(u64& rng, u64 n) {
    rng += GOLDEN;
    return i64(((scramble(rng) >> 32) * n) >> 32);
}

enum Purpose : u64 { DECK = 1, STARTER = 2, AGENT = 3 };

u64 stream(u64 seed, u64 deal, u64 hand, u64 purpose) {
    u64 z = scramble(seed + GOLDEN);
    z = scramble(z + deal * GOLDEN + 1);
    z = scramble(z + hand * GOLDEN + 2);
    return scramble(z + purpose * GOLDEN + 3);
}

inline u64 rotated(u64 word, int bits) { return (word << bits) | (word >> (64 - bits)); }

u64 player_stream(u64 seed, u64 deal, u64 agent) {
    u64 v0 = seed ^ 0x736F6D6570736575, v1 = 0x646F72616E646F6D, v2 = seed ^ 0x6C7967656E657261, v3 = 0x7465646279746573;
    const auto round = [&] {
        v0 += v1, v2 += v3;
        v1 = rotated(v1, 13) ^ v0, v3 = rotated(v3, 16) ^ v2;
        v0 = rotated(v0, 32) + v3, v2 += v1;
        v1 = rotated(v1, 17) ^ v2, v3 = rotated(v3, 21) ^ v0;
        v2 = rotated(v2, 32);
    };
    for (const u64 word : {deal, u64(0), AGENT + agent, u64(24) << 56}) {
        v3 ^= word;
        round(), round();
        v0 ^= word;
    }
    v2 ^= 0xFF;
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
}

// --- The game ---------------------------------------------------------------------------------------------------------

constexpr int KNOCK_LIMIT = 10, GIN_BONUS = 25, UNDERCUT_BONUS = 25, WALL = 2, TURN_CAP = 200, TARGET = 100, MAX_HANDS = 10000;

enum Phase { OFFER, DRAW, DISCARD, SPREAD, DEFEND, OVER };
enum Code { DRAW_STOCK, TAKE_UP_CARD, PASS, DONE, DISCARD_CODE = 64, KNOCK_CODE = 128, MELD_CODE = 256 };

struct Seat {
    i64 hand;
    u64 rng;
    i64 spread[3];
    int n_melds;
    int drawn;
    i64 in_pairs;  // `simple` remembers every {drawn, discarded} pair of a hand
    int n_pairs;
    std::uint16_t pairs[120];
};

struct Game {
    Seat seats[2];
    std::int8_t deck[52];
    int pos, up, taken, turn, offers, phase, actor, knocker, starter, winner;
    i64 pile;
    int scores[2];

    i64 unmelded(int seat) const {
        const Seat& own = seats[seat];
        return own.hand & ~(own.spread[0] | own.spread[1] | own.spread[2]);
    }

    i64 discards() const { return seats[actor].hand & ~(taken >= 0 ? bit(taken) : 0); }

    int decline() const { return phase == OFFER && offers < 2 ? PASS : DRAW_STOCK; }

    bool can_take() const { return phase == DRAW || offers < 2; }

    bool can_knock(int card) const { return min_deadwood(seats[actor].hand & ~bit(card)) <= KNOCK_LIMIT; }

    bool can_meld(i64 meld) const {
        const i64 left = unmelded(actor);
        if ((meld & ~left) || seats[actor].n_melds == 3) return false;
        return phase == DEFEND || min_deadwood(left & ~meld) <= KNOCK_LIMIT;
    }

    bool is_legal(int code) const {
        if (phase == DRAW || phase == OFFER) return code == decline() || (code == TAKE_UP_CARD && can_take());
        if (phase == DISCARD) {
            if (code < DISCARD_CODE || code >= KNOCK_CODE + 64 || !(discards() & bit(code & 63))) return false;
            return code < KNOCK_CODE || can_knock(code & 63);
        }
        if (code == DONE) return phase == DEFEND || points(unmelded(actor)) <= KNOCK_LIMIT;
        return code >= MELD_CODE && code < MELD_CODE + N_MELDS && can_meld(MELDS[code - MELD_CODE]);
    }

    void step(int code) {
        if (code == DRAW_STOCK) draw(deck[pos++]);
        else if (code == TAKE_UP_CARD) {
            pile &= ~bit(up);
            taken = up;
            draw(up);
        } else if (code == PASS) {
            ++offers;
            actor ^= 1;
        } else if (code >= DISCARD_CODE && code < KNOCK_CODE) {
            discard(code & 63);
            actor ^= 1;
            if (pos >= 52 - WALL || turn >= TURN_CAP) close(-1, 0);
        } else showdown(code);
    }

    void draw(int card) {
        seats[actor].hand |= bit(card);
        seats[actor].drawn = card;
        phase = DISCARD;
    }

    void discard(int card) {
        seats[actor].hand &= ~bit(card);
        pile |= bit(card);
        up = card;
        taken = -1;
        ++turn;
        phase = DRAW;
    }

    [[gnu::noinline]] void showdown(int code) {
        Seat& own = seats[actor];
        if (code >= MELD_CODE) own.spread[own.n_melds++] = MELDS[code - MELD_CODE];
        else if (code >= KNOCK_CODE) {
            discard(code & 63);
            knocker = actor;
            phase = SPREAD;
        } else if (phase == SPREAD) {
            phase = DEFEND;
            actor ^= 1;
        } else settle();
    }

    // The referee lays off for the defender: the lowest card that fits, on the first meld it fits, again and again.
    i64 after_lay_offs(i64 cards) {
        for (i64 left = cards; left; left &= left - 1)
            for (i64& meld : seats[knocker].spread)
                if (meld && is_meld(meld | first_of(left))) {
                    meld |= first_of(left);
                    return after_lay_offs(cards & ~first_of(left));
                }
        return cards;
    }

    void settle() {
        const int kept = points(unmelded(knocker));
        const i64 left = unmelded(1 - knocker);
        const int caught = points(kept ? after_lay_offs(left) : left);
        if (kept == 0) close(knocker, GIN_BONUS + caught);
        else if (kept < caught) close(knocker, caught - kept);
        else close(1 - knocker, UNDERCUT_BONUS + kept - caught);
    }

    void close(int who, int won) {
        phase = OVER;
        actor = -1;
        winner = who;
        if (who >= 0) scores[who] += won;
    }

    void deal(u64 seed) {
        for (int i = 0; i < 52; ++i) deck[i] = std::int8_t(16 * (i / 13) + i % 13);
        for (int i = 51; i > 0; --i) std::swap(deck[i], deck[below(seed, i + 1)]);
        for (Seat& seat : seats) {
            seat.hand = seat.in_pairs = 0;
            seat.n_melds = seat.n_pairs = 0;
            seat.spread[0] = seat.spread[1] = seat.spread[2] = 0;
        }
        for (int i = 0; i < 20; ++i) seats[i & 1].hand |= bit(deck[i]);
        up = deck[20];
        pile = bit(up);
        pos = 21;
        taken = knocker = -1;
        turn = offers = 0;
        phase = OFFER;
        actor = starter;
    }
};

// --- Agents -----------------------------------------------------------------------------------------------------------

struct Random {
    static int act(Game& game, Seat& own) {
        if (game.phase == DRAW || game.phase == OFFER)
            return game.can_take() && below(own.rng, 2) ? int(TAKE_UP_CARD) : game.decline();
        if (game.phase == DISCARD) {
            const i64 cards = game.discards();
            const int card = nth_card(cards, int(below(own.rng, popcount(cards))));
            return (game.can_knock(card) && below(own.rng, 2) ? KNOCK_CODE : DISCARD_CODE) + card;
        }
        return any_legal(game, own);
    }

    [[gnu::noinline]] static int any_legal(Game& game, Seat& own) {
        int codes[96], n = 0;
        if (game.is_legal(DONE)) codes[n++] = DONE;
        const i64 cards = game.unmelded(game.actor);
        for (int i = 0; i < N_MELDS; ++i)
            if ((MELDS[i] & ~cards) == 0 && game.is_legal(MELD_CODE + i)) codes[n++] = MELD_CODE + i;
        return codes[below(own.rng, n)];
    }
};

struct Simple {
    static int act(Game& game, Seat& own) {
        if (game.phase == DRAW || game.phase == OFFER) {
            const i64 with_up = own.hand | bit(game.up);
            const bool melds = (in_runs(with_up) | in_groups(with_up)) & bit(game.up);
            return game.can_take() && melds ? int(TAKE_UP_CARD) : game.decline();
        }
        return game.phase == DISCARD ? discard(game, own) : meld(game, own);
    }

    static int discard(Game& game, Seat& own) {
        const i64 legal = game.discards(), fresh = legal & ~repeats(own);
        const Discards best = best_discards(own.hand, fresh ? fresh : legal);
        const int n = popcount(best.cards);
        const int card = n > 1 ? nth_card(best.cards, int(below(own.rng, n))) : lowest(best.cards);
        if (own.n_pairs < 120) {
            own.pairs[own.n_pairs++] = std::uint16_t(own.drawn << 6 | card);
            own.in_pairs |= bit(own.drawn) | bit(card);
        }
        return (best.left <= KNOCK_LIMIT ? KNOCK_CODE : DISCARD_CODE) + card;
    }

    static i64 repeats(const Seat& own) {
        i64 cards = 0;
        if (own.in_pairs & bit(own.drawn))
            for (int i = 0; i < own.n_pairs; ++i) {
                const int first = own.pairs[i] >> 6, second = own.pairs[i] & 63;
                if (first == own.drawn) cards |= bit(second);
                else if (second == own.drawn) cards |= bit(first);
            }
        return cards;
    }

    [[gnu::noinline]] static int meld(Game& game, Seat& own) {
        const i64 left = game.unmelded(game.actor);
        Arrangements found = arrangement(left, 0);
        if (found.n > 1) found = arrangement(left, int(below(own.rng, found.n)));
        if (found.first == 0) return DONE;
        for (int i = 0;; ++i)
            if (MELDS[i] == found.first) return MELD_CODE + i;
    }
};

// --- Matches ----------------------------------------------------------------------------------------------------------

using Act = int (*)(Game&, Seat&);

struct Tally {
    i64 decisions, hands, score_of_first, illegal;
};

void play_hand(Game& game, const Act* acts, int first, Tally& tally) {
    while (game.actor >= 0) {
        const int code = acts[game.actor ^ first](game, game.seats[game.actor]);
        if (!game.is_legal(code)) {
            ++tally.illegal;
            return;
        }
        game.step(code);
        ++tally.decisions;
    }
}

// One match to 100 points; `first` is the number of the agent in seat 0.
void play_match(u64 seed, u64 deal, const Act* acts, int first, Tally& tally) {
    Game game;
    game.scores[0] = game.scores[1] = 0;
    game.starter = int(((stream(seed, deal, 0, STARTER) >> 32) * 2) >> 32);
    for (int seat = 0; seat < 2; ++seat) game.seats[seat].rng = player_stream(seed, deal, seat ^ first);
    for (int hand = 0; hand < MAX_HANDS; ++hand) {
        game.deal(stream(seed, deal, hand, DECK));
        play_hand(game, acts, first, tally);
        ++tally.hands;
        if (game.scores[0] >= TARGET || game.scores[1] >= TARGET) break;
        if (game.winner >= 0) game.starter ^= 1;
    }
    tally.score_of_first += game.scores[first];
}

}  // namespace

// --- What the benchmark calls -----------------------------------------------------------------------------------------

extern "C" void deadwood_of(const i64* hands, i64 n, std::int16_t* out) {
    for (i64 i = 0; i < n; ++i) out[i] = std::int16_t(min_deadwood(hands[i]));
}

// Plays every deal twice, the seats swapped.
extern "C" void play_pairs(const Act* acts, u64 seed, i64 first_deal, i64 deals, Tally* tally) {
    for (i64 deal = first_deal; deal < first_deal + deals; ++deal)
        for (int first = 0; first < 2; ++first) play_match(seed, u64(deal), acts, first, *tally);
}

extern "C" int random_act(Game& game, Seat& own) { return Random::act(game, own); }

extern "C" int simple_act(Game& game, Seat& own) { return Simple::act(game, own); }
