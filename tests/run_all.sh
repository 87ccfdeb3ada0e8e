#!/bin/sh
# The whole suite, or with the argument "fast" the part that takes a minute.
set -eu
mode="${1:-all}"
echo "== style and types"
ruff check .
ruff format --check .
mypy
lint-imports
if [ "$mode" = fast ]; then
    echo "== fast tests"
    exec python -m pytest -q -n 2 -m "not slow"
fi
echo "== tests"
python -m pytest -q -n 2
echo "== kernels with bounds checks"
NUMBA_BOUNDSCHECK=1 python -m pytest -q -n 2 -m bounds
