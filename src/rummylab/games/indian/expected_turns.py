"""Expected draws until a hand can be declared: MinDist refined by how many live cards bring it nearer.

The paper names it as future work (sections IV-B and IX): two hands of equal MinDist differ in how long they wait.

**Definition.** The mean number of the player's own draws, from stock or pile, until the player declares, in self-play
of `mindist-outs` with two players and one deck. The deal is taken to go on until then: a new opponent takes the seat
of one who declares (`rummylab evaluate indian-draws`).

**Formula.** With o live outs among n live cards, x = (n + 1) / (o + 1) is the mean wait for the first out if the
player could only draw from a shuffled stock. The pile helps, and so do the better waits that come up
meanwhile; both help a long wait most, so the draws grow with the logarithm of x. For d >= 1

    expected_turns(d, o, n) = AFTER[d] + WAIT[d] * log(x), at least d

and 0 for a hand that can be declared. How well it fits: docs/concepts/mindist.md.
"""

from __future__ import annotations

from math import log

from rummylab._jit import kernel

# Fitted by `rummylab train indian-draws --hands 40000 --seed 1`, distances 1 to 5; entry 0 is not
# used. From 6 on (1 dealt hand in 2,000): one step more costs as much as from 4 to 5.
AFTER = (0.0, 0.01, 3.03, 5.67, 7.99, 10.01)
WAIT = (0.0, 2.00, 2.03, 1.69, 1.35, 0.86)
_MOST = len(AFTER) - 1


@kernel
def expected_turns(distance: int, n_outs: int, n_live: int) -> float:
    """Return the expected number of the player's own draws until the hand can be declared (see the module)."""
    if distance == 0:
        return 0.0
    d = min(distance, _MOST)
    beyond = (distance - d) * (AFTER[_MOST] - AFTER[_MOST - 1])
    return max(float(distance), AFTER[d] + beyond + WAIT[d] * log((n_live + 1) / (n_outs + 1)))
