# shellcheck shell=bash
# What the scripts of tests/checks that run twingrad on fake targets share. Sourced in the root of the project: sets tmp, a folder that is removed at the
# end, and counts in `passed` and `failed`.
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

# expect NAME STATUS PATTERN... -- COMMAND...: the command exits with STATUS, a regular expression, and its output, which is left in $tmp/out, matches every
# pattern, and none that begins with "!".
expect() {
    local name=$1 status=$2 patterns=() got ok=1 pattern
    shift 2
    while [ "$1" != -- ]; do patterns+=("$1"); shift; done
    shift
    "$@" >"$tmp/out" 2>&1 </dev/null
    got=$?
    [[ $got =~ ^($status)$ ]] || { ok=0; echo "$name: exit status $got, not $status"; }
    for pattern in "${patterns[@]}"; do
        if [ "${pattern:0:1}" = "!" ]; then
            grep -qE -- "${pattern:1}" "$tmp/out" && { ok=0; echo "$name: something matches: ${pattern:1}"; }
        else
            grep -qE -- "$pattern" "$tmp/out" || { ok=0; echo "$name: nothing matches: $pattern"; }
        fi
    done
    if [ $ok -eq 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); cat "$tmp/out"; fi
}
