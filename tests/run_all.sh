#!/bin/sh
# Run the whole suite, or with the argument "fast" the part that takes a minute.
set -eu
mode="${1:-all}"

# Two processes share the compiling; the test workers would each do all of it.
python tests/warm_up.py gin gin_pass contract &
python tests/warm_up.py indian rest &

echo "== style and types"
ruff check .
ruff format --check .
mypy
lint-imports
wait
# One worker for each core. Slow tests start first, and an idle worker takes tests from a busy one.
workers="-n auto --dist worksteal"
if [ "$mode" = fast ]; then
    echo "== fast tests"
    exec python -m pytest -q $workers -m "not slow"
fi
echo "== tests"
python -m pytest -q $workers
# A second compilation of the slice that these tests reach, and of nothing else.
echo "== kernels with bounds checks"
NUMBA_BOUNDSCHECK=1 exec python -m pytest -q -n auto --dist loadgroup tests/conformance/test_bounds.py
