#!/usr/bin/env bats
# Limits of the shell and sizes of inputs: an answer, or one sentence and exit code 2 or 3; never a signal, never a hang.
load helper

# at_limit LIMIT... -- COMMAND...: runs it in a shell with these limits, within 60 seconds; the output is in out.txt and err.txt.
at_limit() {
    local limits=()
    while [ "$1" != -- ]; do limits+=("$1"); shift; done
    shift
    status=0
    (ulimit "${limits[@]}" && timeout 60 "$@") >out.txt 2>err.txt </dev/null || status=$?
}

# The command succeeded, or said in one sentence what it lacked.
answered() {
    if [ "$status" -eq 0 ] || { [ "$status" -eq 127 ] && grep -qE 'shared|TLS' err.txt; }; then # 127: the loader itself has no room
        return 0
    fi
    [ "$status" -eq 3 ] || { echo "status $status"; cat out.txt err.txt; return 1; }
    [ "$(grep -c '^twingrad: ' err.txt)" -eq 1 ] || { cat err.txt; return 1; }
}

# A product that is large enough for BLAS.
product() {
    printf '{"twingrad": 1, "inputs": [{"name": "x", "dtype": "float32", "size": [64, 64], "requires_grad": true, "data": {"fill": "dyadic", "seed": 1}}],
 "body": [{"op": "mm", "self": "x", "mat2": "x", "out": "y"}], "return": ["y"], "backward": {"fill": "ones"}}\n'
}

@test "with little address space a check answers or says that memory is missing, and ends" {
    ! sanitized || skip "a sanitizer needs address space of its own"
    product >mm.json
    for megabytes in 20 30 40 60 80 100 150 200 300; do
        at_limit -v $((megabytes * 1024)) -- "$TWINGRAD" check good.json mm.json
        answered
        [ "$megabytes" -lt 100 ] || [ "$status" -eq 0 ]
    done
}

@test "out of memory is exit 3 and one sentence, whatever needs it" {
    ! sanitized || skip "a sanitizer needs address space of its own"
    python3 -c '
n = 3000000
print("{\"twingrad\": 1, \"inputs\": [{\"name\": \"x\", \"dtype\": \"float64\", \"size\": [%d], \"data\": [%s]}], \"body\": [], \"return\": [\"x\"]}" % (n, ",".join("0" * n)))' >large.json
    for megabytes in 40 50 60 70 80 90 100 120 140; do
        at_limit -v $((megabytes * 1024)) -- "$TWINGRAD" run --json large.json
        answered
        [ "$status" -eq 0 ] || grep -qE 'memory|allocate|shared' err.txt
    done
    "$TWINGRAD" replay --results results.json good.json >/dev/null
    for megabytes in 40 42 43 44 45 46 47 48 50 54 60; do
        at_limit -v $((megabytes * 1024)) -- "$TWINGRAD" report --html report.html --junit report.xml results.json
        answered
        [ "$status" -ne 0 ] || { xmllint --noout report.xml && tail -c 20 report.html | grep -q '</html>'; }
    done
}

@test "a trace holds the values of two statements, not of all" {
    ! sanitized || skip "a sanitizer needs address space of its own"
    python3 -c '
body = ",".join("{\"op\": \"add\", \"self\": \"x%d\", \"other\": 1, \"out\": \"x%d\"}" % (i, i + 1) for i in range(150))
print("{\"twingrad\": 1, \"inputs\": [{\"name\": \"x0\", \"dtype\": \"float32\", \"size\": [2], \"requires_grad\": true, \"data\": {\"fill\": \"ones\", \"seed\": 0}}], \"body\": [%s], \"return\": [\"x150\"]}" % body)' >chain.json
    for form in --json --dot; do
        at_limit -v $((150 * 1024)) -- "$TWINGRAD" trace $form chain.json # all of them: 340 MB, or 700 with --dot
        [ "$status" -eq 0 ] || { cat err.txt; return 1; }
    done
}

@test "a small stack grows, and one that may not is exit 3" {
    ! sanitized || skip "a sanitizer needs a larger stack"
    at_limit -Ss 128 -- "$TWINGRAD" check good.json
    [ "$status" -eq 0 ]
    at_limit -Ss 128 -- "$TWINGRAD" fuzz --runs 200 --seed 3
    [ "$status" -eq 0 ]
    founding >skew.json
    at_limit -Ss 128 -- "$TWINGRAD" minimize --jobs 2 --fault RG-1 skew.json
    [ "$status" -eq 1 ] # a finding
    at_limit -s 128 -- "$TWINGRAD" check good.json
    [ "$status" -eq 3 ]
    grep -q '^twingrad: the stack may have 128 KB: at least 1024 are needed' err.txt
    at_limit -s 1024 -- "$TWINGRAD" fuzz --runs 2000 --seed 1
    [ "$status" -eq 0 ]
}

@test "a limit on the size of files is an error like a full disk" {
    at_limit -f 1 -- "$TWINGRAD" fuzz --runs 60 --seed 1 --every --json --fault RG-1 --out reports
    [ "$status" -eq 3 ]
    grep -q '^twingrad: .*File too large' err.txt
    at_limit -f 0 -- "$TWINGRAD" replay --html report.html good.json
    [ "$status" -eq 3 ]
    at_limit -f 1 -- "$TWINGRAD" fuzz --jobs 2 --runs 200 --seed 1 --out campaign
    [ "$status" -eq 3 ]
    grep -q '^twingrad: ' err.txt
}

@test "the largest texts are read in a second, in 10 bytes of memory for each byte" {
    ! sanitized || skip "a sanitizer needs address space of its own"
    python3 - <<'END'
n = (16 << 20) // 2 - 100
program = '{"twingrad": 1, "inputs": [{"name": "x", "dtype": "%s", "size": [%d], "data": [%s]}], "body": [], "return": []}'
open("zeros.json", "w").write(program % ("float64", n, ",".join("0" * n)))
n = (16 << 20) // 5 - 100
open("bools.json", "w").write(program % ("bool", n, ",".join(["true"] * n)))
n = (16 << 20) // 6 - 100
open("fractions.json", "w").write(program % ("float32", n, ",".join(["0.125"] * n)))
n = 1000000
open("returns.json", "w").write('{"twingrad": 1, "body": [], "return": [%s]}' % ",".join(['"x"'] * n))
END
    for file in zeros bools fractions; do
        at_limit -v $((200 * 1024)) -- "$TWINGRAD" show --as text $file.json
        [ "$status" -eq 0 ] || { cat err.txt; return 1; }
    done
    at_limit -v $((60 * 1024)) -- "$TWINGRAD" check returns.json
    [ "$status" -eq 2 ]
    grep -q 'return: 1000000 returns pass the limit of 1024' err.txt
}

@test "a long dim beside one of 0 is not worked through" {
    run timeout -s KILL 60 "$TWINGRAD" check --verify "$BATS_TEST_DIRNAME/../../corpus/regressions/many_parts_of_nothing.json"
    [[ $status -eq 0 && "$output" == *agree* ]]
}
