"""A program that looks around and says what it found as one JSON object: ``spy.py SECRET_FILE``."""

import json
import os
import socket
import sys


def tried(action):
    try:
        found = action()
        return "done" if found is None else found
    except (OSError, MemoryError) as error:
        return type(error).__name__


def read(path):
    with open(path, "rb") as file:
        return file.read(200).decode(errors="replace")


def write(path):
    with open(path, "w") as file:
        file.write("x")


def connect():
    with socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=1):
        return "connected"


def forks():
    for n in range(500):
        try:
            if os.fork() == 0:
                signal_pause()
        except OSError:
            return n
    return 500


def signal_pause():
    import signal

    signal.pause()


secret = sys.argv[1]
others = [pid for pid in range(1, 100_000) if os.path.exists(f"/proc/{pid}")]
command_lines = [tried(lambda pid=pid: read(f"/proc/{pid}/cmdline")) for pid in others]
found = {
    "environment": dict(os.environ),
    "folder": os.listdir("."),
    "cwd": os.getcwd(),
    "command_lines": command_lines,
    "secret": tried(lambda: read(secret)),
    "journal": tried(lambda: read(secret + "-wal")),
    "itself": tried(lambda: read(__file__))[:10],
    "home": tried(lambda: read(os.path.join(os.path.dirname(os.path.dirname(secret)), "other", "letter"))),
    "beside": tried(lambda: write(os.path.join(os.path.dirname(__file__), "note"))),
    "tmp": tried(lambda: write("/tmp/rummylab-note")),
    "shm": tried(lambda: write("/dev/shm/rummylab-note")),
    "scratch": tried(lambda: write("note")),
    "network": tried(connect),
    "memory": tried(lambda: len(bytearray(8 << 30))),
    "signal": tried(lambda: os.kill(int(sys.argv[3]), 0)),
    "forks": tried(forks),
}
sys.stdout.write(json.dumps(found))
