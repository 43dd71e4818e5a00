#!/usr/bin/env bats
# What the commands say about programs that are fine, and about findings.
load helper

@test "check agrees, one line a program" {
    run "$TWINGRAD" check good.json
    [ "$status" -eq 0 ]
    [ "$output" = 'good.json (good): 2 statements, 1 call: agree' ]
    "$TWINGRAD" check - <good.json | grep -q '^standard input (good): 2 statements, 1 call: agree$'
    [ -z "$("$TWINGRAD" check --quiet good.json)" ]
    "$TWINGRAD" check --json good.json | json 'r[0]["verdict"] == "agree" and r[0]["statements"] == 2'
    run "$TWINGRAD" check --pair compiled,reference good.json
    [ "$status" -eq 0 ]
}

@test "run prints results in the order of the programs" {
    { tr -d '\n' <good.json; echo; with_statement '{"op": "sum", "self": "nobody", "out": "y"}'; } >two.jsonl
    "$TWINGRAD" run --on reference --json two.jsonl |
        json 'len(r) == 2 and r[0]["calls"][0]["status"] == "ok" and r[1]["calls"][0]["error"]["code"] == "invalid"'
    "$TWINGRAD" run --on compiled --json good.json | json 'r[0]["calls"][0]["inputs"][0]["grad"]["data"] == [2, 2, 2]'
    run "$TWINGRAD" run good.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'return[0] y requires_grad float32 [3]'* ]]
}

@test "a gradient inside the program runs, prints and exports" {
    sed 's/"body": \[/"body": [\n{"op": "mul", "self": "x", "other": "x", "out": "a"}, {"op": "grad", "outputs": ["a"], "inputs": ["x"], "grad_outputs": ["x"], "create_graph": true, "allow_unused": true, "out": ["g"]},/' good.json >gradient.json
    for on in reference compiled; do
        "$TWINGRAD" run --on $on --json gradient.json | json 'r[0]["calls"][0]["status"] == "ok"'
    done
    run "$TWINGRAD" check gradient.json
    [ "$status" -eq 0 ]
    "$TWINGRAD" show --as json gradient.json | grep -q '"create_graph": true'
    "$TWINGRAD" show --as python gradient.json | grep -q '^    (g,) = torch.autograd.grad(\[a\], \[x\], grad_outputs=\[x\], create_graph=True, allow_unused=True)  # body\[1\]$'
    "$TWINGRAD" show --as python gradient.json | grep -q '^    if g is None: del g  # body\[1\]$'
}

@test "calls in other sizes are served by symbolic code, or say why not" {
    local sizes="$BATS_TEST_DIRNAME/../golden/symbolic_sizes.json"
    "$TWINGRAD" run --on compiled --json "$sizes" | json '[(c.get("x-compiled"), c.get("x-symbolic"), c.get("x-miss")) for c in r[0]["calls"]] == [(True, None, None), (True, True, "size"), (None, True, None)]'
    "$TWINGRAD" show --stats "$sizes" | grep -q '^calls compiled 2 times, 1 hits; for many sizes 1 times, brought to other sizes 1 times$'
    "$TWINGRAD" show --as ir --after symbolic "$sizes" | grep -q '%9: f32\[3, s0; s0, 1\] = cat'
    run "$TWINGRAD" check "$sizes"
    [ "$status" -eq 0 ]
}

@test "run --poke shows what a write to the returns changes" {
    "$TWINGRAD" run --poke --json good.json | json '"poked" in r[0]["calls"][0]'
}

@test "show prints every form" {
    run "$TWINGRAD" show good.json
    [[ "$output" == *'y = mul(x, 2)'* ]]
    "$TWINGRAD" show --as json good.json >again.json
    "$TWINGRAD" show --as json again.json | cmp - again.json
    "$TWINGRAD" show --as dot good.json | grep -q '^digraph'
    "$TWINGRAD" show --as python good.json | grep -q '^    y = x.mul(2)  # body\[0\]$'
    "$TWINGRAD" show --as torch good.json | python3 -c 'import ast, sys; ast.parse(sys.stdin.read())'
    "$TWINGRAD" show --as ir good.json | grep -q 'after'
    [ "$("$TWINGRAD" show --as ir --after cse good.json | grep -c '^---- after')" -eq 1 ]
    "$TWINGRAD" show --as dot --after fuse good.json | grep -q '^digraph graph_ir'
    refused show --as dot --after lower good.json
    refused show --as loops --after fuse good.json
}

@test "a setup is run, shown and exported" {
    sed 's/"body"/"setup": [{"op": "mul", "self": "x", "other": 2, "out": "b"}, {"probe": "is_leaf", "of": "b"}], "args": ["b", "x"], "recalls": [{"keep": true, "set": {"x": {"requires_grad": false}}}], "body"/' good.json >setup.json
    run "$TWINGRAD" check setup.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'2 calls: agree' ]]
    "$TWINGRAD" run --on compiled setup.json | grep -q 'setup\[1\] is_leaf \[0\]'
    "$TWINGRAD" show setup.json | grep -q '^args b, x$'
    "$TWINGRAD" show --as ir setup.json | grep -q 'after'
    "$TWINGRAD" show --as torch setup.json >setup.py
    python3 -c 'import ast, sys; ast.parse(open("setup.py").read())'
    grep -q '    b = x.mul(2)  # setup\[0\]' setup.py
}

@test "nothing of name, note or data becomes code" {
    sed 's/"name": "good"/"name": "\\n__import__(\x27os\x27).system(\x27touch pwned\x27)\\"\\"\\"", "note": "\\"\\"\\"\\nimport os\\nos.abort()"/' good.json |
        sed 's/"x"/"class"/g; s/"y"/"_t"/g' >evil.json
    for form in python torch; do
        "$TWINGRAD" show --as $form evil.json >evil.py
        python3 -c 'import ast, sys; ast.parse(open("evil.py").read())'
        if grep -qE 'pwned|abort' evil.py; then return 1; fi
        grep -q 'def program(class_, _t):' evil.py
    done
}

@test "replay compares with expect, and counts what it cannot express" {
    result=$("$TWINGRAD" run --json good.json)
    sed 's/"return"/"expect": '"$(sed 's/[\/&]/\\&/g' <<<"$result")"', "x-exact": true, "return"/' good.json >expected.json
    run "$TWINGRAD" replay expected.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'1 programs: 1 agreed, 0 findings, 0 not expressible, 0 bad; 2 comparisons with a recorded result'* ]]
    sed 's/"is_leaf": false/"is_leaf": true/' expected.json >wrong.json
    run "$TWINGRAD" replay wrong.json
    [ "$status" -eq 1 ]
    [[ "$output" == *'flags-is_leaf-expect (reference,expect)'* ]]
    with_statement '{"op": "no_such_op", "self": "x", "out": "y"}' >unknown.json
    run "$TWINGRAD" replay unknown.json good.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'2 programs: 1 agreed, 0 findings, 1 not expressible'* ]]
}

@test "replay compares the last bit with x-exact, the sign of a zero with x-zero-sign, and neither without them" {
    program='{"twingrad": 1, "inputs": [{"name": "x", "dtype": "float32", "size": [2], "data": [0.1, -0.0]}], "body": [{"op": "mul", "self": "x", "other": 3, "out": "y"}], "return": ["y"]}'
    printf '%s' "$program" >p.json
    result=$("$TWINGRAD" run --json p.json)
    with_expect() { printf '%s, "expect": %s%s}' "${program%?}" "$(sed "$1" <<<"$result")" "$2" >e.json; }
    exact=', "x-exact": true' signs=', "x-exact": true, "x-zero-sign": true' inside=', "x-other": {"x-exact": true}, "x-exact": false'
    for keys in "" "$exact" "$signs" "$inside"; do
        with_expect '' "$keys"
        run "$TWINGRAD" replay e.json
        [ "$status" -eq 0 ]
    done
    bit='s/\[0\.3, /[0.30000004, /' zero='s/, "-0\.0"\]/, 0.0]/' # of the result, which comes before the input
    [ "$(sed "$bit" <<<"$result")" != "$result" ]
    [ "$(sed "$zero" <<<"$result")" != "$result" ]
    for keys in "" "$inside"; do
        with_expect "$bit;$zero" "$keys"
        run "$TWINGRAD" replay e.json
        [ "$status" -eq 0 ]
    done
    with_expect "$bit" "$exact"
    run "$TWINGRAD" replay e.json
    [ "$status" -eq 1 ]
    [[ "$output" == *'values-data-expect (reference,expect)'* ]]
    with_expect "$zero" "$exact"
    run "$TWINGRAD" replay e.json
    [ "$status" -eq 0 ]
    with_expect "$zero" "$signs"
    run "$TWINGRAD" replay e.json
    [ "$status" -eq 1 ]
    [[ "$output" == *'values-zero_sign-expect'* ]]
}

@test "a replay of a folder without programs is bad input, and so are no workers" {
    mkdir d
    run "$TWINGRAD" replay d
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no program in 'd'"* ]]
    run "$TWINGRAD" fuzz --runs 1 --workers 0
    [ "$status" -eq 2 ]
    [[ "$output" == *"--workers needs a number from 1 to 64"* ]]
}

@test "replay walks directories and goes on after a bad file" {
    mkdir -p d/e
    cp good.json d/e/a.json
    echo '{' >d/b.json
    echo 'not looked at' >d/notes.txt
    run "$TWINGRAD" replay d
    [ "$status" -eq 2 ]
    [[ "$output" == *'2 programs: 1 agreed, 0 findings, 0 not expressible, 1 bad'* ]]
    "$TWINGRAD" replay --json d 2>/dev/null | json 'r[-1]["type"] == "summary" and r[-1]["bad"] == 1' || true
}

@test "the founding program agrees, and is a finding with the founding fault" {
    founding >skew.json
    run "$TWINGRAD" check skew.json
    [ "$status" -eq 0 ]
    [[ "$output" == *': agree' ]]
    for name in stale_flags_after_setitem RG-1; do
        run "$TWINGRAD" check --fault $name skew.json
        [ "$status" -eq 1 ]
        [[ "${lines[0]}" == *'FINDING trace-requires_grad-setitem' ]]
        [[ "$output" == *'body[4].then[1]'* ]]
        [[ "$output" == *'matrix[:, rows, cols] = vec'* ]]
        [[ "$output" == *'reference  ok'* ]]
        [[ "$output" == *'compiled   assertion at body[4].then[1]'* ]]
    done
    "$TWINGRAD" check --json --fault RG-1 skew.json >finding.json || [ $? -eq 1 ]
    json 'r[0]["finding"]["signature"] == "trace-requires_grad-setitem" and "status" in r[0]["finding"]["fired"]' <finding.json
}

@test "minimize keeps the signature and makes the program small" {
    founding >skew.json
    run "$TWINGRAD" minimize --quiet --fault RG-1 skew.json
    [ "$status" -eq 1 ]
    "$TWINGRAD" minimize --quiet --fault RG-1 skew.json >small.json || [ $? -eq 1 ]
    run "$TWINGRAD" check --fault RG-1 small.json
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *'FINDING trace-requires_grad-setitem' ]]
    [[ "${lines[0]}" =~ ([0-9]+)\ statements ]]
    [ "${BASH_REMATCH[1]}" -le 4 ]
    run "$TWINGRAD" check small.json
    [ "$status" -eq 0 ]
    run "$TWINGRAD" minimize good.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'nothing to minimize'* ]]
}

@test "minimize --out writes a whole report folder" {
    founding >skew.json
    run "$TWINGRAD" minimize --quiet --fault RG-1 --out reports skew.json
    [ "$status" -eq 1 ]
    [ "$output" = 'reports/trace-requires_grad-setitem' ]
    [ "$(ls reports/trace-requires_grad-setitem | tr '\n' ' ')" = 'case.json finding.md minimized.json repro.py ' ]
    [ "$(ls -A reports)" = 'trace-requires_grad-setitem' ]
    "$TWINGRAD" check reports/*/case.json
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' reports/*/repro.py
    grep -q 'twingrad check --pair reference,compiled --fault stale_flags_after_setitem minimized.json' reports/*/finding.md
    run "$TWINGRAD" minimize --quiet --fault RG-1 --out reports skew.json # again, over the old one
    [ "$status" -eq 1 ]
}

@test "a new report replaces the files of the old one, and no others" {
    founding >skew.json
    folder=reports/trace-requires_grad-setitem
    "$TWINGRAD" minimize --quiet --fault RG-1 --out reports skew.json || [ $? -eq 1 ]
    cp -r $folder first
    echo mine >$folder/notes.txt
    echo old >$folder/issue.md # of a target's report, which this one is not
    for file in case.json minimized.json repro.py finding.md; do echo old >$folder/$file; done
    run "$TWINGRAD" minimize --quiet --fault RG-1 --out reports skew.json
    [ "$status" -eq 1 ]
    [ "$output" = "$folder" ]
    [ "$(cat $folder/notes.txt)" = mine ]
    rm $folder/notes.txt
    diff -r first $folder
    [ "$(ls -A reports)" = "${folder#*/}" ]
}

# y = --x
double_negation() {
    with_statement '{"op":"neg","self":"x","out":"a"},{"op":"neg","self":"a","out":"b"},{"op":"exp","self":"b","out":"x"}' >double.json
}

@test "show --stats tells which rules fired, and --disable, --only and --opt-limit keep them from it" {
    double_negation
    "$TWINGRAD" show --as loops --stats double.json | grep -qE '^  neg_neg +1$'
    ! "$TWINGRAD" show --as loops --stats --disable neg_neg double.json | grep -q neg_neg
    ! "$TWINGRAD" show --as loops --stats --only cse double.json | grep -q neg_neg
    "$TWINGRAD" show --as loops --stats --only neg_neg double.json | grep -qE '^  neg_neg +1$'
    ! "$TWINGRAD" show --as loops --stats --opt-limit 0 double.json | grep -q neg_neg
    "$TWINGRAD" check --only neg_neg,cse double.json
}

@test "the oracle stages names the pass that a fault is in" {
    too_long_if_sanitized
    "$TWINGRAD" fuzz --oracle stages --fault cse_merges_signed_zeros --runs 400 --no-minimize --every --json >found.json || [ $? -eq 1 ]
    grep -q '"fired":\["values","stages"\]' found.json
    "$TWINGRAD" fuzz --oracle stages --runs 300
    refused fuzz --oracle values
}

@test "fuzz --swarm-passes leaves out other passes for each program, and a report says which" {
    too_long_if_sanitized
    "$TWINGRAD" fuzz --swarm-passes --verify --runs 500
    "$TWINGRAD" fuzz --swarm-passes --fault RG-1 --seed 3 --runs 500 --no-minimize --out swarm >/dev/null || [ $? -eq 1 ]
    grep -rlq -- '--disable' swarm
}

@test "passes --runs counts how often passes and rules fired" {
    "$TWINGRAD" passes --runs 300 --json | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
fired = {row["name"]: row["fired"] for row in rows}
assert fired["joint"] > 0 and fired["copy_of_same"] > 0, fired
assert all(row["why"] for row in rows if row["kind"] == "rule")'
    ! "$TWINGRAD" passes --json | grep -q fired
}

@test "a report that cannot be written is exit 3 and one sentence" {
    founding >skew.json
    touch file
    status=0
    "$TWINGRAD" minimize --quiet --fault RG-1 --out file/reports skew.json >out.txt 2>err.txt || status=$?
    [ "$status" -eq 3 ]
    [ "$(wc -l <err.txt)" -eq 1 ]
}

@test "a report on a full disk is exit 3 and leaves nothing half written" {
    founding >skew.json
    status=0
    (trap '' XFSZ; ulimit -f 0; "$TWINGRAD" minimize --quiet --fault RG-1 --out reports skew.json 2>&1 | cat >/dev/null; exit "${PIPESTATUS[0]}") || status=$?
    [ "$status" -eq 3 ]
    [ -z "$(ls -A reports 2>/dev/null)" ]
}

@test "the repro script runs in PyTorch, if there is one" {
    python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import torch' 2>/dev/null && echo "$p" && break; done) || true
    [ -n "$python" ] || skip "no torch"
    founding >skew.json
    "$TWINGRAD" show --as torch skew.json >repro.py
    run "$python" repro.py dynamo
    [ "$status" -eq 0 ] || [[ "$status" -eq 3 && "$output" == *'no mode dynamo'* ]]
    [[ "$output" == *'call 0: ok'* ]]
}

@test "limits are raised and lowered by flags, for inputs and inside the program" {
    run "$TWINGRAD" check --max-elements 10 "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json"
    [ "$status" -eq 2 ]
    [[ "$output" == *"inputs[0].size"*"limit of 10 elements"* ]]
    run "$TWINGRAD" check --max-elements 40 "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json"
    [ "$status" -eq 0 ]
    [[ "$output" == *"skip (limit)"* ]]
    run "$TWINGRAD" check --max-statements 3 "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json"
    [ "$status" -eq 2 ]
    run "$TWINGRAD" check --max-elements 50 "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json"
    [[ "$output" == *agree* ]]
    echo '{"twingrad":1,"body":[{"op":"zeros","size":[67108865],"dtype":"bool","out":"x"}],"return":[]}' >big.json
    [[ "$("$TWINGRAD" check big.json)" == *"skip (limit)"* ]]
    [[ "$("$TWINGRAD" check --max-elements 70000000 big.json)" == *agree* ]]
}

@test "fuzz --first stops at the first finding" {
    run "$TWINGRAD" fuzz --fault RG-1 --first --seconds 60 --json --out "$BATS_TEST_TMPDIR/reports"
    [ "$status" -eq 1 ]
    [ "$(grep -c '"type":"finding"' <<< "$output")" -eq 1 ]
}

@test "a search that is interrupted prints its summary" {
    "$TWINGRAD" fuzz --seconds 600 --out stopped >out.txt 2>err.txt &
    pid=$!
    until grep -q '^seed' out.txt; do sleep 0.05; done
    sleep 0.2
    kill -TERM $pid
    wait $pid
    grep -qE '^interrupted: [0-9]+ programs' out.txt
    [ ! -s err.txt ]
    [ -s stopped/report.html ]
    json 'r[0]["summary"]["interrupted"] is True' <stopped/results.json
}

@test "64 nested blocks are exported as a script that Python accepts" {
    python3 - >nested.json <<'END'
import json
body = [{"op": "mul", "self": "x", "other": 2, "out": "y"}]
for i in range(63):
    body = [{"with": "enable_grad" if i % 3 else "no_grad", "body": body}, {"probe": "is_grad_enabled"}]
print(json.dumps({"twingrad": 1, "inputs": [{"name": "x", "dtype": "float32", "size": [1], "data": [1]}], "body": body, "return": ["y"]}))
END
    "$TWINGRAD" check nested.json
    "$TWINGRAD" show --as torch nested.json >nested.py
    python3 -c 'compile(open("nested.py").read(), "nested.py", "exec")'
    [ "$(grep -c 'set_grad_enabled(_mode' nested.py)" -gt 40 ]
    # run with a stand-in for torch's grad modes, it has the trace of the reference
    python3 - "$TWINGRAD" <<'END'
import json, subprocess, sys
source = subprocess.run([sys.argv[1], "show", "--as", "python", "nested.json"], capture_output=True, text=True, check=True).stdout
class Mode:
    on = True
    def __init__(self, on=None):
        self.to = on
        if on is not None and not getattr(self, "scoped", False):
            Mode.on = on
    def __enter__(self):
        self.before, Mode.on = Mode.on, self.to
    def __exit__(self, *_):
        Mode.on = self.before
class Scoped(Mode):
    scoped = True
class torch:
    no_grad = staticmethod(lambda: Scoped(False))
    enable_grad = staticmethod(lambda: Scoped(True))
    set_grad_enabled = staticmethod(Mode)
    is_grad_enabled = staticmethod(lambda: Mode.on)
sys.modules["torch"] = torch
class X:
    def mul(self, other): return self
t, scope = [], {}
exec(compile(source, "nested", "exec"), scope)
scope["program"](X(), t)
recorded = json.loads(subprocess.run([sys.argv[1], "run", "--json", "nested.json"], capture_output=True, text=True, check=True).stdout)
assert [list(e)[2] for e in t] == [e["value"] for e in recorded["calls"][0]["trace"]] and len(t) == 63, t
END
}
