# What every bats file here needs: $TWINGRAD (the binary; ./twingrad by default), a scratch directory, small programs.
setup() {
    TWINGRAD=${TWINGRAD:-$BATS_TEST_DIRNAME/../../twingrad}
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >good.json <<'END'
{"twingrad": 1, "name": "good",
 "inputs": [{"name": "x", "dtype": "float32", "size": [3], "requires_grad": true, "data": {"fill": "dyadic", "seed": 1}}],
 "body": [{"op": "mul", "self": "x", "other": 2, "out": "y"}, {"probe": "requires_grad", "of": "y"}],
 "return": ["y"], "backward": {"fill": "ones", "seed": 0}}
END
}

# A program around one statement, on standard output.
with_statement() {
    printf '{"twingrad":1,"inputs":[{"name":"x","dtype":"float32","size":[3],"data":{"fill":"ones","seed":0}}],"body":[%s],"return":["x"]}\n' "$1"
}

# Bad input: exit 2, nothing on standard output, exactly one line on standard error that begins with our name; no crash, no path of a .c file.
refused() {
    local status=0
    "$TWINGRAD" "$@" >out.txt 2>err.txt </dev/null || status=$?
    [ "$status" -eq 2 ] || { echo "exit $status for: $*"; cat err.txt; return 1; }
    [ ! -s out.txt ] || { echo "it wrote to standard output:"; cat out.txt; return 1; }
    [ "$(wc -l <err.txt)" -eq 1 ] || { echo "not one line:"; cat err.txt; return 1; }
    grep -q '^twingrad: .' err.txt || { cat err.txt; return 1; }
    ! grep -qE '\.c:[0-9]|AddressSanitizer|runtime error' err.txt
}

# refused_program TEXT: each of check, run and show refuses it, from a file and from standard input.
refused_program() {
    printf '%s' "$1" >bad.json
    refused check bad.json && refused run bad.json && refused show bad.json && grep -q 'bad.json' err.txt || return 1
    local status=0
    "$TWINGRAD" check - <bad.json >out.txt 2>err.txt || status=$?
    [ "$status" -eq 2 ]
}

# Is $TWINGRAD built with a sanitizer? Some campaigns are then shorter.
sanitized() { [[ $TWINGRAD == */build/*-*address* || $TWINGRAD == */build/*-memory* ]]; }

# For campaigns of thousands of programs that check how findings are grouped; shorter ones cover the same code.
too_long_if_sanitized() { ! sanitized || skip "too long under a sanitizer"; }

# json EXPRESSION: does it hold of r, the objects on standard input, one a line?
json() { python3 -c "import json, sys; r = [json.loads(l) for l in sys.stdin]; assert $1, r"; }

# The founding bug: a write through setitem makes `matrix` require grad at once.
founding() {
    cat <<'END'
{"twingrad": 1, "name": "skew_symmetric", "inputs": [
  {"name": "vec", "dtype": "float32", "size": [2, 10], "requires_grad": true, "data": {"fill": "dyadic", "seed": 7}}],
 "body": [
  {"op": "zeros", "size": [2, 5, 5], "dtype": "float32", "out": "matrix"},
  {"op": "triu_indices", "row": 5, "col": 5, "offset": 1, "out": "rc"},
  {"op": "unbind", "self": "rc", "dim": 0, "out": ["rows", "cols"]},
  {"op": "setitem", "self": "matrix", "index": [[null, null, null], "rows", "cols"], "value": "vec"},
  {"if": {"is_grad_enabled": true}, "then": [{"assert": {"requires_grad": "vec"}}, {"assert": {"requires_grad": "matrix"}}]},
  {"op": "transpose", "self": "matrix", "dim0": -2, "dim1": -1, "out": "t"},
  {"op": "sub", "self": "matrix", "other": "t", "out": "skew"}],
 "return": ["skew"], "backward": {"fill": "dyadic", "seed": 8}}
END
}
