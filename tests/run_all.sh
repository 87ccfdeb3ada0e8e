#!/bin/sh
# The whole suite, or with the argument "fast" the part that takes a minute.
set -eu
mode="${1:-all}"

# Two processes share the compiling; the workers of the tests would each do all of it.
warm_up() {
    python tests/warm_up.py gin &
    python tests/warm_up.py indian chinese gin-course &
}

echo "== style and types"
warm_up
ruff check .
ruff format --check .
mypy
lint-imports
if [ "$mode" = fast ]; then
    echo "== fast tests"
    exec python -m pytest -q -n 2 -m "not slow"
fi
wait
echo "== tests"
python -m pytest -q -n 2
# The tests marked "bounds" reach every file of kernels once; no preset or pairing is played twice.
echo "== kernels with bounds checks"
export NUMBA_BOUNDSCHECK=1
warm_up
wait
python -m pytest -q -n 2 -m bounds
