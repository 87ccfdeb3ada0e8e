"""A compiled agent as a stranger writes it. Loaded by path in the tests, never imported."""

from rummylab import register_agent


@register_agent(game="gin")
def always_done(table, mine, params):
    return 3
