#!/bin/sh
# Run the whole suite, or with the argument "fast" the part that takes a minute. Further words are a command that
# installs what the tests need.
set -eu
mode="${1:-all}"
[ $# -eq 0 ] || shift
out=$(mktemp -d)
beside=""
# Many tests start new processes: each would compile every module that it imports again.
unset PYTHONDONTWRITEBYTECODE
trap 'rm -rf "$out"; [ -z "$beside" ] || kill $beside 2> /dev/null || true' EXIT

# Two processes share the compiling, which needs the package alone: it begins while the tools are installed, and goes on
# beside the style check. The test workers would each compile everything.
python tests/warm_up.py gin gin_pass rest &
first=$!
python tests/warm_up.py indian contract &
second=$!
beside="$first $second"
"$@"
echo "== style"
ruff check .
ruff format --check .
lint-imports
# One process that takes half a minute without its cache: it goes on beside the tests.
mypy > "$out/types" 2>&1 &
types=$!
beside="$beside $types"
wait $first
wait $second
beside="$types"
# One worker for each core. Slow tests start first, and an idle worker takes tests from a busy one.
workers="-n auto --dist worksteal"
failed=0
if [ "$mode" = fast ]; then
    echo "== fast tests"
    python -m pytest -q $workers -m "not slow" || failed=1
else
    # A second compilation of the slice that these tests reach, and of nothing else, while the other tests run.
    NUMBA_BOUNDSCHECK=1 python -m pytest -q -n 0 tests/conformance/test_bounds.py > "$out/bounds" 2>&1 &
    bounds=$!
    beside="$beside $bounds"
    echo "== tests"
    python -m pytest -q $workers -m "not bounds" || failed=1
    echo "== kernels with bounds checks"
    wait $bounds || failed=1
    cat "$out/bounds"
fi
echo "== types"
wait $types || failed=1
cat "$out/types"
beside=""
exit $failed
