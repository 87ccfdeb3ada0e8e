"""A program that plays through lines: the first legal move, or whatever its argument says."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "rummylab" in message:
        print("hello" if "rude" in sys.argv else "ready", flush=True)
    elif "act" in message:
        print("knock" if "rude" in sys.argv else "!?" if "mad" in sys.argv else message["legal"][0], flush=True)
