#!/usr/bin/env bats
# What becomes of a finding: bisected, grouped, known, promoted.
bats_require_minimum_version 1.5.0
load helper

# y is both signs of zero, merged into one by the fault NU-12 of cse
signed_zeros() {
    with_statement '{"op":"mul","self":"x","other":{"float":"-0.0"},"out":"a"},{"op":"mul","self":"x","other":{"float":0},"out":"b"},{"op":"reciprocal","self":"a","out":"c"},{"op":"reciprocal","self":"b","out":"x"},{"op":"sub","self":"c","other":"x","out":"x"}'
}

@test "bisect names the pass, the step and the node, and shows the graph" {
    signed_zeros >zeros.json
    run "$TWINGRAD" bisect --fault NU-12 zeros.json
    [ "$status" -eq 1 ]
    [[ "$output" == *'  stage      cse: '* ]]
    [[ "$output" == *'  step       cse: '* ]]
    [[ "$output" == *'  limit      --opt-limit '* ]]
    [[ "$output" == *'  node       %'* ]]
    [[ "$output" == *$'\n-   %'* ]]
    limit=$(sed -nE 's/.*--opt-limit ([0-9]+) shows.*/\1/p' <<<"$output")
    run "$TWINGRAD" check --fault NU-12 --opt-limit "$limit" zeros.json
    [ "$status" -eq 1 ]
    run "$TWINGRAD" check --fault NU-12 --opt-limit $((limit - 1)) zeros.json
    [ "$status" -eq 0 ]
    "$TWINGRAD" bisect --json --fault NU-12 zeros.json >b.json || [ $? -eq 1 ]
    json 'r[0]["finding"]["cause"]["stage"] == "cse" and r[0]["opt_limit"] > 0 and r[0]["graphs"]' <b.json
    if command -v cc >/dev/null; then # a pass that is wrong is no fault of the native tier
        "$TWINGRAD" bisect --native-cache none --pair reference,compiled:native --fault NU-12 zeros.json | grep -q '^  stage      cse'
        "$TWINGRAD" bisect --native-cache none --pair compiled,compiled:native --fault NU-12 zeros.json | grep -q '^  stage      cse'
    fi
    run "$TWINGRAD" bisect good.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'nothing to bisect'* ]]
}

@test "the script of bisect answers git: 0 without the finding, 1 with it, 125 cannot test" {
    signed_zeros >zeros.json
    "$TWINGRAD" bisect --script --fault NU-12 zeros.json >script.sh || [ $? -eq 1 ]
    run env BUILD=true TWINGRAD="$TWINGRAD" sh script.sh
    [ "$status" -eq 1 ]
    run env BUILD=false TWINGRAD="$TWINGRAD" sh script.sh
    [ "$status" -eq 125 ]
    run env BUILD=true TWINGRAD=false sh script.sh # exit 1 and no finding
    [ "$status" -eq 125 ]
    sed 's/--fault [a-z_]*//' script.sh >fixed.sh
    run env BUILD=true TWINGRAD="$TWINGRAD" sh fixed.sh
    [ "$status" -eq 0 ]
    run "$TWINGRAD" bisect --script zeros.json
    [ "$status" -eq 2 ]
    [[ $output == *'shows no finding for a script to look for'* ]]
}

@test "the script of bisect and the page of a finding name every option that the check needs" {
    signed_zeros >zeros.json
    limits='--max-elements 1000 --max-bytes 100000 --max-statements 50'
    "$TWINGRAD" bisect --script --fault NU-12 $limits --semantics 1.13 zeros.json >script.sh || [ $? -eq 1 ]
    grep -q -- " --fault [a-z_]* --semantics 1.13 $limits - <<'END'" script.sh
    "$TWINGRAD" minimize --quiet --fault NU-12 --semantics 1.13 $limits --out reports zeros.json || [ $? -eq 1 ]
    grep -q -- "^twingrad check .* --semantics 1.13 $limits minimized.json$" reports/*/finding.md
    target=(--targets "$BATS_TEST_DIRNAME/../targets/targets.json" --pair reference,fake:eager)
    "$TWINGRAD" bisect --script "${target[@]}" --strict --no-probes good.json >script.sh || [ $? -eq 1 ]
    grep -q -- " check --json --pair reference,fake:eager --strict --no-probes - <<'END'" script.sh
    "$TWINGRAD" bisect --script "${target[@]}" good.json >script.sh || [ $? -eq 1 ]
    grep -q -- " check --json --pair reference,fake:eager - <<'END'" script.sh
    "$TWINGRAD" fuzz --fault RG-1 --first --no-poke --quiet --out poked >/dev/null || [ $? -eq 1 ]
    grep -q -- "^twingrad check .* --no-poke minimized.json$" poked/*/finding.md
}

@test "a campaign with three faults ends in three groups, one each, whatever their signatures" {
    too_long_if_sanitized
    "$TWINGRAD" fuzz --fault RG-1 --fault NU-12 --fault FU-16 --runs 5000 --json --seed 1 --out reports >lines.json || [ $? -eq 1 ]
    json 'r[-1]["findings"] >= 120 and len(r[-1]["signatures"]) > 3 and sorted(g["group"] for g in r[-1]["groups"]) == ["capture/flags", "cse", "reinplace"]' <lines.json
    json 'sum(g["findings"] for g in r[-1]["groups"]) == r[-1]["findings"] and all(g["standing"] == "new" for g in r[-1]["groups"])' <lines.json
    grep -q 'reinplace' reports/report.html
    # each group is one fault: its first report fails under that fault, and under no other
    python3 - lines.json >expected.txt <<'END'
import json, sys
fault = {"capture": "RG-1", "cse": "NU-12", "reinplace": "FU-16"}
told = set()
for line in open(sys.argv[1]):
    o = json.loads(line)
    if o["type"] == "finding" and o["finding"]["cause"]["stage"] not in told:
        told.add(o["finding"]["cause"]["stage"])
        print(o["report"], *[fault[o["finding"]["cause"]["stage"]]] + [f for f in fault.values() if f != fault[o["finding"]["cause"]["stage"]]])
END
    while read -r report guilty one other; do
        for fault in "$guilty:1" "$one:0" "$other:0"; do
            run "$TWINGRAD" check --quiet --fault "${fault%:*}" "$report/minimized.json"
            [ "$status" -eq "${fault#*:}" ] || { echo "$report under ${fault%:*}: $status"; return 1; }
        done
    done <expected.txt
    [ "$(wc -l <expected.txt)" -eq 3 ]
}

@test "so does a campaign of two processes, with three faults of other kinds" {
    too_long_if_sanitized
    "$TWINGRAD" fuzz --fault GR-10 --fault IX-1 --fault AL-2 --seed 2 --runs 12000 --jobs 2 --no-minimize --json --out jobs >lines.json || [ $? -eq 1 ]
    json 'r[-1]["findings"] >= 120 and sorted(g["group"] for g in r[-1]["groups"]) == ["epilogue", "fuse", "joint"]' <lines.json
}

@test "two bugs that show in the same way are two groups, with processes too" {
    too_long_if_sanitized
    "$TWINGRAD" fuzz --fault RG-2 --fault MU-7 --fault IX-1 --runs 9000 --seed 10 --jobs 2 --no-minimize --json --out jobs >lines.json || [ $? -eq 1 ]
    json 'r[-1]["findings"] >= 120 and sorted(g["group"] for g in r[-1]["groups"]) == ["capture/path", "functionalize", "fuse"]' <lines.json
    json 'sum(g["findings"] for g in r[-1]["groups"]) == r[-1]["findings"] and sum(s["signature"] == "trace-path-setitem" for s in r[-1]["signatures"]) == 2' <lines.json
}

@test "programs that show two of three faults at once make no group of their own" {
    too_long_if_sanitized
    while read -r a b c runs seed groups; do
        "$TWINGRAD" fuzz --fault "$a" --fault "$b" --fault "$c" --runs "$runs" --seed "$seed" --no-minimize --json >lines.json || [ $? -eq 1 ]
        json 'r[-1]["findings"] >= 120 and sorted(g["group"] for g in r[-1]["groups"]) == "'"$groups"'".split()' <lines.json || { tail -1 lines.json; return 1; }
    done <<'END'
GU-2 GR-16 AL-2 10000 1 epilogue guard partition
RG-2 MU-7 IX-1 9000 10 capture/path functionalize fuse
GU-10 GR-16 RG-1 9000 11 capture/flags guard partition
END
}

@test "the page of a finding is under a page, and has one command that replays it" {
    too_long_if_sanitized
    "$TWINGRAD" fuzz --fault GR-10 --fault MU-7 --fault GU-5 --runs 1500 --quiet --out reports >/dev/null || [ $? -eq 1 ]
    [ "$(ls reports/*/finding.md | wc -l)" -gt 20 ]
    for page in reports/*/finding.md; do
        statements=$(sed -n 's/^## The program (\([0-9]*\) statement.*/\1/p' "$page") # those beyond four have two lines more each
        calls=$(grep -c '^call again' "$page" || true) # with the inputs of each
        inputs=$(grep -c '^input ' "$page")            # a line each, beyond two
        [ "$(wc -l <"$page")" -le $((66 + 2 * (statements > 4 ? statements - 4 : 0) + (inputs > 2 ? inputs - 2 : 0) + 4 * calls)) ] || { cat "$page"; return 1; }
        [ "$(grep -c '^twingrad [a-z]' "$page")" -eq 1 ]
    done
    (cd "${page%/*}" && eval "$(sed -n 's|^twingrad check|"$TWINGRAD" check|p' finding.md)") >replayed.txt || [ $? -eq 1 ]
    grep -q FINDING replayed.txt
}

# the reports of a signature that two faults bring about, found in $1: one shows under each fault, and not under the other
one_report_each() {
    [ "$(ls -d "$1"/trace-path-setitem "$1"/trace-path-setitem@* | wc -l)" -eq 2 ]
    for fault in RG-2 MU-7; do
        shown=0
        for report in "$1"/trace-path-setitem "$1"/trace-path-setitem@*; do
            run "$TWINGRAD" check --quiet --fault "$fault" "$report/minimized.json"
            shown=$((shown + status))
        done
        [ "$shown" -eq 1 ] || { echo "$shown reports show under $fault"; return 1; }
    done
    grep -q 'trace-path-setitem@' "$1/report.html"
}

@test "two bugs that show in the same way have a report each" {
    "$TWINGRAD" fuzz --fault RG-2 --fault MU-7 --runs 2500 --seed 1 --quiet --out reports >/dev/null || [ $? -eq 1 ]
    one_report_each reports
    "$TWINGRAD" fuzz --fault RG-2 --fault MU-7 --runs 2500 --seed 1 --jobs 2 --quiet --out jobs >/dev/null || [ $? -eq 1 ]
    one_report_each jobs
}

known() {
    printf '{"known":[{"signature":"%s","issue":"https://example.org/1","date":"2026-11-21","note":"seen before"%s}]}\n' "$1" "$2"
}

@test "check says which group a stored finding is of, and whether it is known" {
    signed_zeros >zeros.json
    run -1 "$TWINGRAD" check --group --fault NU-12 zeros.json
    [[ "$output" == *$'\n  group      cse (new)'* ]]
    known 'values-data-*' ',"cause":"cse"' >known.json
    run -0 "$TWINGRAD" check --group --known known.json --fault NU-12 zeros.json # which does not fail the run
    [[ "$output" == *$'\n  group      https://example.org/1 (known)'* ]]
    known 'values-data-*' ',"cause":"dce"' >known.json
    "$TWINGRAD" check --group --known known.json --json --fault NU-12 zeros.json zeros.json good.json >lines.json || [ $? -eq 1 ]
    json '[(r[k]["group"], r[k]["standing"]) for k in (0, 1)] == [("cse", "new")] * 2 and "group" not in r[2]' <lines.json
    run -2 "$TWINGRAD" check --known known.json good.json
    [[ "$output" == *'--known is for --group'* ]]
    run -2 "$TWINGRAD" check --group --known none.json good.json
    [[ "$output" == *'none.json'* ]]
}

@test "a known issue is shown as known, and the exit code is about the new ones" {
    known 'values-data-*' ',"cause":"cse"' >known.json
    run "$TWINGRAD" fuzz --fault NU-12 --runs 1000 --known known.json
    [[ "$output" == *'known values-data-'*'https://example.org/1'* ]]
    known '*' >all.json
    run "$TWINGRAD" fuzz --fault NU-12 --runs 1000 --known all.json --json
    [ "$status" -eq 0 ]
    "$TWINGRAD" fuzz --fault NU-12 --runs 1000 --known all.json --json | json 'r[-1]["findings"] > 0 and all(g["standing"] == "known" and g["issue"] == "https://example.org/1" for g in r[-1]["groups"])'
    run "$TWINGRAD" fuzz --fault NU-12 --fault RG-1 --runs 1000 --known known.json --json
    [ "$status" -eq 1 ]
    known '*' ',"pair":"torch:*"' >elsewhere.json
    run "$TWINGRAD" fuzz --fault NU-12 --runs 1000 --known elsewhere.json
    [ "$status" -eq 1 ]
}

@test "of three bugs one is known: the report says so, and the exit code is about the other two" {
    status_is() { json 'sorted((g["group"], g["standing"]) for g in r[-1]["groups"]) == [("capture/flags", "'"$1"'"), ("cse", "known"), ("reinplace", "'"$1"'")]' <lines.json; }
    known '*' ',"cause":"cse"' >known.json
    run -1 "$TWINGRAD" fuzz --fault RG-1 --fault NU-12 --fault FU-16 --runs 1000 --known known.json --out one
    "$TWINGRAD" fuzz --fault RG-1 --fault NU-12 --fault FU-16 --runs 1000 --known known.json --json >lines.json || [ $? -eq 1 ]
    status_is new
    grep -q '2 new groups of findings' one/report.html
    grep -q '1 group is known' one/report.html
    grep -q 'href="https://example.org/1"' one/report.html
    known '*' ',"cause":"[cr]*"' >known.json # capture/flags, cse, reinplace/..
    "$TWINGRAD" fuzz --fault RG-1 --fault NU-12 --fault FU-16 --runs 1000 --known known.json --json --out all >lines.json
    status_is known
    grep -q 'no new finding' all/report.html
    grep -q '3 groups are known' all/report.html
    # a mixture is grouped by its sub-findings, even if its own group is known
    known '*' ',"cause":"capture*"' >known.json
    "$TWINGRAD" fuzz --fault RG-1 --fault NU-12 --fault FU-16 --runs 8000 --seed 1 --jobs 2 --no-minimize --known known.json --json --out jobs >lines.json || [ $? -eq 1 ]
    json 'sorted((g["group"], g["standing"]) for g in r[-1]["groups"]) == [("capture/flags", "known"), ("cse", "new"), ("reinplace", "new")]' <lines.json
}

@test "replay checks known issues again: known, and fixed once their program agrees" {
    signed_zeros >zeros.json
    known '*' ',"program":"zeros.json"' >known.json
    run "$TWINGRAD" replay --fault NU-12 --known known.json zeros.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'zeros.json: known values-data-'* ]]
    [[ "$output" == *$'\nknown: * (https://example.org/1, 2026-11-21)'* ]]
    run "$TWINGRAD" replay --known known.json good.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'fixed: * (https://example.org/1'* ]]
    run "$TWINGRAD" replay --fault NU-12 zeros.json
    [ "$status" -eq 1 ]
}

@test "a bad list of known issues is refused with a message" {
    for text in '' '[]' '{}' '{"known":[{}]}' '{"known":[{"signature":"a","issue":"b","date":"yesterday","note":"c"}]}' \
        '{"known":[{"signature":"a","issue":"b","date":"2026-11-21","note":""}]}' '{"known":[{"signature":"a","issue":"b","date":"2026-11-21","note":"c","other":1}]}'; do
        printf '%s' "$text" >known.json
        refused fuzz --runs 1 --known known.json
        grep -q known.json err.txt
    done
    known '*' ',"block":"no_such_block"' >known.json
    refused replay --known known.json good.json
    grep -q "there is no context 'no_such_block'" err.txt
    known '*' ',"function":"dances"' >known.json
    refused replay --known known.json good.json
    grep -q "functions have no 'dances'" err.txt
    known '*' ',"reentrant":true' >known.json # of any block?
    refused replay --known known.json good.json
    grep -q 'goes with "block": "checkpoint" only' err.txt
    refused replay --known missing.json good.json
}

@test "promote makes a finding a regression that replay keeps an eye on" {
    signed_zeros >zeros.json
    "$TWINGRAD" minimize --quiet --fault NU-12 --out reports zeros.json || [ $? -eq 1 ]
    run "$TWINGRAD" promote --fault NU-12 --out regressions reports/values-data-reciprocal-cse
    [ "$status" -eq 0 ]
    [ -f "$output" ]
    grep -q '"note": ".*cse' "$output"
    grep -q '"expect"' "$output"
    "$TWINGRAD" replay regressions
    run "$TWINGRAD" replay --fault NU-12 regressions
    [ "$status" -eq 1 ]
    sed 's/"data": \["inf"\]/"data": ["-inf"]/; s/"data": \["-inf"\]/"data": ["inf"]/; s/"requires_grad": false/"requires_grad": true/2' regressions/*.json >changed.json
    run "$TWINGRAD" replay changed.json
    [ "$status" -eq 1 ]
    refused promote --fault NU-12 --out regressions reports/values-data-reciprocal-cse # it is there already
    refused promote good.json
    "$TWINGRAD" promote --name plain --note 'a program that agrees' --out regressions good.json
    "$TWINGRAD" replay regressions
}

@test "promote refuses a program whose answer says only that it was not run" {
    with_statement '{"op": "zeros", "size": [1000000, 1000000], "out": "y"}' >limit.json
    refused promote --name limit --note none --out regressions limit.json
    grep -q '^twingrad: limit.json has no answer that could be expected: ' err.txt
    with_statement '{"op": "mul", "self": "x", "other": "nothing", "out": "y"}' >error.json # an error is an answer
    "$TWINGRAD" promote --name error --note 'a name that is not bound' --out regressions error.json
    [ "$(ls regressions)" = error.json ]
}

@test "promote refuses a name that is too long for a file" {
    for length in 232 250 300 5000; do
        refused promote --name "$(printf "%0${length}d" 0)" --note n --out regressions good.json
        grep -q 'is too long for the name of a file' err.txt
    done
    "$TWINGRAD" promote --name "$(printf '%0231d' 0)" --note n --out regressions good.json
    refused promote --name short --note n --out "$(printf '%05000d' 0)" good.json
}

@test "promote keeps the x- keys of a program, and says anew whether its numbers are exact" {
    sed 's/"twingrad": 1/"twingrad": 1, "x-exact": false, "x-note": [1, {"a, \\"x-exact\\": ]": null}], "x-zero-sign": true, "x-last": "}"/' good.json >x.json
    "$TWINGRAD" promote --name exact --note n --out regressions x.json
    python3 - <<'END'
import json
pairs = json.load(open("regressions/exact.json"), object_pairs_hook=list)
kept = [(k, v) for k, v in pairs if k.startswith("x-")]
assert kept == [("x-note", [1, [('a, "x-exact": ]', None)]]), ("x-last", "}"), ("x-exact", True), ("x-zero-sign", True)], kept
END
    "$TWINGRAD" show --as json regressions/exact.json | cmp - regressions/exact.json
    sed 's/"x-exact": false/"x-exact": true/' x.json >stale.json
    # the target returns nothing, so its answer is another one
    "$TWINGRAD" promote --targets "$BATS_TEST_DIRNAME/../targets/targets.json" --pair reference,fake:eager --name other --note n --out regressions stale.json
    grep -q '"x-last": "}"' regressions/other.json
    [ "$(grep -c '"x-exact":\|"x-zero-sign":' regressions/other.json)" -eq 0 ]
}

@test "minimize goes on from where it was stopped, and candidates at a time change nothing" {
    "$TWINGRAD" fuzz --fault GR-10 --first --no-minimize --out reports --json >lines.json || [ $? -eq 1 ]
    "$TWINGRAD" minimize --quiet --fault GR-10 reports/*/case.json >whole.json || [ $? -eq 1 ]
    "$TWINGRAD" minimize --quiet --fault GR-10 --jobs 3 reports/*/case.json >jobs.json || [ $? -eq 1 ]
    cmp whole.json jobs.json
    "$TWINGRAD" minimize --quiet --fault GR-10 --runs 8 --save saved.json reports/*/case.json >/dev/null || [ $? -eq 1 ]
    ! cmp -s whole.json saved.json
    "$TWINGRAD" minimize --quiet --fault GR-10 --save saved.json reports/*/case.json >again.json || [ $? -eq 1 ]
    cmp again.json saved.json
    "$TWINGRAD" minimize --quiet --fault GR-10 again.json >fixed_point.json || [ $? -eq 1 ]
    cmp again.json fixed_point.json
    cp good.json saved.json
    refused minimize --fault GR-10 --save saved.json reports/*/case.json
}

@test "minimize says before the work that --save or --out cannot be written" {
    founding >skew.json
    : >file
    mkdir folder
    for options in "--save nowhere/x.json" "--save folder" "--out file" "--out file/x"; do
        run --separate-stderr -3 "$TWINGRAD" minimize --fault RG-1 $options skew.json
        [[ $stderr == "twingrad: cannot "* && $(wc -l <<<"$stderr") -eq 1 && -z $output ]] || { echo "$options: $stderr"; return 1; }
    done
}

@test "minimize prints the program if a file cannot be written after the work" {
    founding >skew.json
    "$TWINGRAD" minimize --quiet --fault RG-1 skew.json >small.json || [ $? -eq 1 ]
    for options in "--save saved.json" "--out reports"; do
        run -3 bash -c "trap '' XFSZ; ulimit -f 0; exec '$TWINGRAD' minimize --quiet --fault RG-1 $options skew.json"
        grep -v '^twingrad: ' <<<"$output" | cmp - small.json
        [ "$(grep -c '^twingrad: cannot write ' <<<"$output")" -eq 1 ]
    done
}

@test "minimize does not save over the program that it is given" {
    founding >skew.json
    cp skew.json copy.json
    ln skew.json hard.json
    ln -s skew.json soft.json
    for save in skew.json ./skew.json hard.json soft.json; do
        refused minimize --fault RG-1 --save $save skew.json
        refused minimize --fault RG-1 --save skew.json $save
    done
    run -2 "$TWINGRAD" minimize --quiet --fault RG-1 --save skew.json - <skew.json
    cmp skew.json copy.json
}

# interrupted SIGNAL COMMAND...: runs it, sends the signal a second after it has a handler for it; its output is in out.txt and err.txt. A signal that the
# tests themselves ignore (nohup) is not ignored by it.
interrupted() {
    local signal=$1 pid
    shift
    env --default-signal="$signal" "$@" >out.txt 2>err.txt 3>&- &
    pid=$!
    for _ in $(seq 300); do
        (((0x$(awk '/^SigCgt/ { print $2 }' "/proc/$pid/status") & 1 << 14) == 0)) || break # SIGTERM
        sleep 0.1
    done
    sleep 1
    kill -"$signal" $pid
    status=0
    wait $pid || status=$?
}

@test "a signal ends minimize with the smallest program so far" {
    founding >founding.json # the target returns nothing, so every part of the program is a finding
    export FAKE_PAUSE=0.5 # a target that answers slowly keeps it busy
    for signal in TERM HUP; do
        interrupted $signal "$TWINGRAD" minimize --targets "$BATS_TEST_DIRNAME/../targets/targets.json" --pair reference,fake:eager --seconds 600 --runs 100000 --out "mine-$signal" founding.json
        [ "$status" -eq 1 ] || { cat err.txt; return 1; }
        grep -q '; interrupted$' err.txt
        [ -s "$(cat out.txt)/minimized.json" ]
    done
}

@test "a signal ends replay with the results so far" {
    for i in $(seq 400); do sed "s/\"good\"/\"vacuous\"/" good.json | tr -d '\n'; echo; done >many.jsonl
    export FAKE_PAUSE=0.05
    interrupted TERM "$TWINGRAD" replay --targets "$BATS_TEST_DIRNAME/../targets/targets.json" --pair reference,fake:eager --json --results results.json --html report.html many.jsonl
    [ "$status" -eq 3 ] || { cat err.txt; return 1; } # what is left may hold a finding
    grep -qE 'interrupted: [0-9]+ programs are left' err.txt
    json 'r[-1]["interrupted"] is True and 0 < r[-1]["programs"] < 400' <out.txt
    python3 -c 'import json; assert 0 < len(json.load(open("results.json"))["cases"]) < 400'
    [ -s report.html ]
    "$TWINGRAD" replay --json good.json | json 'r[-1]["interrupted"] is False'
}
