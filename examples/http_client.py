"""Use the library over HTTP: ``python examples/http_client.py http://localhost:8750`` while `rummylab play` runs.

It needs nothing but the standard library.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

Post = Callable[[str, dict[str, Any]], dict[str, Any]]


def post_to(address: str) -> Post:
    """Return a function that posts JSON to the server at *address*."""

    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = Request(address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    return post


def tour(post: Post) -> list[str]:
    """Ask for a grouping, an evaluation, the legal moves of a position, and an agent's move in it."""
    lines = []
    cards = "3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks"
    for group in post("/v1/grouping", {"game": "gin", "cards": cards})["groups"]:
        lines.append(f"{group['label']}: {' '.join(card['text'] for card in group['cards'])}")
    lines += post("/v1/evaluate", {"game": "gin", "cards": cards})["lines"][-1:]
    position = post("/v1/sample", {"game": "gin", "seed": 7})["position"]
    legal = [action["label"] for action in post("/v1/legal", {"position": position})["actions"]]
    lines.append(f"legal: {', '.join(legal)}")
    found = post("/v1/move", {"position": position, "agent": "simple"})
    lines.append(f"{found['agent']} would: {found['label']}")
    return lines


if __name__ == "__main__":
    print("\n".join(tour(post_to(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8750"))))
