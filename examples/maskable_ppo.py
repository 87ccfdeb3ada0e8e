"""Learn Gin with sb3-contrib's MaskablePPO, on the same environment as ``ppo_gin.py``.

pip install sb3-contrib 'rummylab[rl]'
python examples/maskable_ppo.py 200000
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium

from rummylab.interop.gymnasium_ids import IDS


def learn(decisions: int, seed: int = 1, **settings: Any) -> Any:
    """Return a policy that has learned for so many decisions against `simple`."""
    from sb3_contrib import MaskablePPO  # type: ignore[import-not-found, unused-ignore]

    env = gymnasium.make(IDS["gin"], opponent="simple", dtype="float32")
    model = MaskablePPO("MlpPolicy", env, seed=seed, verbose=0, **settings)
    model.learn(decisions)
    return model


if __name__ == "__main__":
    learn(int(sys.argv[1])).save("maskable_ppo_gin")
