"""A compiled agent as a stranger writes it. Loaded by path in the tests, never imported."""

from rummylab import compiled_agent


@compiled_agent("gin")
def always_done(table, mine, par):
    return 3
