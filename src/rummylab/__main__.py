"""``python -m rummylab``."""

from rummylab.cli.main import main

main()
