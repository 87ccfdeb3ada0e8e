"""Settings every test runs under."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Fixed examples: a run today and a run tomorrow try the same hands.
settings.register_profile(
    "rummylab",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("rummylab")
