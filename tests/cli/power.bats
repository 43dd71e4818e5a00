#!/usr/bin/env bats
# Measuring detection power: the same programs in every run, resumed after a kill, and compared.
load helper

# The programs of each trial, without the times.
programs_of() { sed 's/"seconds":[0-9.]*/"seconds":0/g' "$1" | LC_ALL=C sort; }

@test "trials are the same in every run, however many run at a time" {
    "$TWINGRAD" power --faults RG-1,GR-10 --trials 3 --budget 60s --out one >one.txt
    "$TWINGRAD" power --faults RG-1,GR-10 --trials 3 --budget 60s --jobs 3 --out three >three.txt
    cmp <(programs_of one/trials.jsonl) <(programs_of three/trials.jsonl)
    grep -q '^RG-1 *3/3 ' one.txt
    grep -q '^2 faults, 6 trials of 60 CPU seconds: 2 found in at least 95 % of their trials, 0 in some, 0 never; ' one.txt
    [ -s one/power.svg ]
    json 'all(1 <= t["reached"]["programs"] <= t["triggered"]["programs"] <= t["detected"]["programs"] == t["programs"] for t in r[1:])' <one/trials.jsonl
    "$TWINGRAD" fuzz --fault RG-1 --seed 2 --first --no-minimize --json >fuzz.json || [ $? -eq 1 ] # trial 1 has the second seed
    json 'r[0]["detected"]["programs"] == '"$(sed -n 's/.*"summary".*"programs":\([0-9]*\),"calls.*/\1/p' fuzz.json)" < <(grep '"fault":"RG-1","number":1' one/trials.jsonl)
}

@test "a run that was killed goes on where it was, and another configuration is refused" {
    "$TWINGRAD" power --faults RG-1 --trials 4 --out all >/dev/null
    "$TWINGRAD" power --faults RG-1 --trials 2 --out part >/dev/null
    printf '{"type":"trial","fault":"RG-1","num' >>part/trials.jsonl # what SIGKILL leaves
    "$TWINGRAD" power --faults RG-1 --trials 4 --out part >/dev/null
    cmp <(programs_of all/trials.jsonl | grep -v '"type":"power"') <(programs_of part/trials.jsonl | grep -v '"type":"power"')
    refused power --faults RG-1 --trials 4 --profile plain --out part
    refused power --faults RG-1 --trials 4 --seed 2 --out part
    refused power --faults XX-1
    refused power --faults RG-1 --fault RG-1
    echo nonsense >part/trials.jsonl
    refused power part
}

@test "a run is resumed with its own budget only, also where that begins with the same digit" {
    "$TWINGRAD" power --faults RG-1 --trials 1 --budget 6 --out six >/dev/null
    refused power --faults RG-1 --trials 2 --budget 60 --out six
    grep -q 'another configuration' err.txt
    "$TWINGRAD" power --faults RG-1 --trials 2 --budget 6s --out six >/dev/null
}

@test "two runs do not write to one folder at a time, and what is there stays in its file" {
    setsid "$TWINGRAD" power --faults RG-2 --ops neg --trials 50 --budget 60 --out shared >out.txt 2>err.txt 3>&- & # never found
    pid=$!
    for ((i = 0; i < 100; i++)); do [ -s shared/trials.jsonl ] && break || sleep 0.1; done
    before=$(stat -c %i shared/trials.jsonl)
    status=0
    timeout -s KILL 10 "$TWINGRAD" power --faults RG-2 --ops neg --trials 50 --budget 60 --out shared >second.txt 2>&1 || status=$?
    kill -TERM $pid
    wait $pid
    [ "$status" -eq 3 ]
    [ "$(cat second.txt)" = "twingrad: another run of 'twingrad power' is running in 'shared'" ]
    "$TWINGRAD" power --faults RG-1 --trials 2 --out part >/dev/null
    cp part/trials.jsonl whole.jsonl
    printf '{"type":"trial","fault":"RG-1","num' >>part/trials.jsonl # what SIGKILL leaves
    again=$(stat -c %i part/trials.jsonl)
    "$TWINGRAD" power --faults RG-1 --trials 2 --out part >/dev/null
    cmp whole.jsonl part/trials.jsonl
    [ "$before $again" = "$(stat -c %i shared/trials.jsonl) $(stat -c %i part/trials.jsonl)" ]
}

@test "runs are compared by rank statistics" {
    "$TWINGRAD" power --faults GR-10,NU-12 --trials 8 --out default >/dev/null
    "$TWINGRAD" power --faults GR-10,NU-12 --trials 8 --profile plain --label plain --out plain >/dev/null
    "$TWINGRAD" power default plain >table.txt
    grep -q '^generator (A) against plain (B)$' table.txt
    grep -qE '^NU-12 +8/8 ' table.txt
    "$TWINGRAD" power --json default default | json 'all(c["a12"] == 0.5 and c["p"] == 1 and c["ratio"] == 1 for c in r[:-1]) and r[-1]["faults"] == 2 and r[-1]["faster"] == 0'
    "$TWINGRAD" power --json default | json 'r[-1]["reliable"] == 2 and [x["fault"] for x in r[:-1]] == ["GR-10", "NU-12"]'
    "$TWINGRAD" power --svg both.svg default plain >/dev/null
    python3 -c 'import xml.dom.minidom as m; assert m.parse("both.svg").documentElement.tagName == "svg"'
}

@test "a fault is searched with the profile that its row names, unless one is given" {
    "$TWINGRAD" power --faults GR-26 --trials 2 --budget 60s >named.txt
    grep -q '^GR-26 *2/2 ' named.txt
    "$TWINGRAD" power --faults GR-26 --trials 1 --budget 1s --profile default >default.txt
    grep -q '^GR-26 *0/1 ' default.txt
}

@test "an oracle that is left out reports nothing" {
    "$TWINGRAD" power --faults GR-10 --trials 2 --budget 60s --json >all.json
    "$TWINGRAD" power --faults GR-10 --trials 2 --budget 1s --no-oracle gradients --json >without.json
    json '"gradients" in r[0]["oracles"]' <all.json
    json '"gradients" not in r[0]["oracles"]' <without.json
    "$TWINGRAD" fuzz --fault GR-10 --runs 300 --no-minimize >/dev/null && return 1
    "$TWINGRAD" fuzz --fault GR-10 --runs 300 --no-oracle status,trace,values,metadata,flags,alias,gradients,calls,stages
    refused fuzz --no-oracle gradient
}

@test "a signal ends power with the trials so far" {
    setsid "$TWINGRAD" power --faults RG-2 --ops neg --trials 50 --budget 60 --out cut >out.txt 2>err.txt 3>&- & # never found
    pid=$!
    sleep 2
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 0 ] || { cat err.txt; return 1; }
    grep -q 'interrupted: 0 trials are done' err.txt
    ! pgrep -s "$pid" >/dev/null
}

@test "a trial by an engine finds the fault, or ends with its budget of CPU time" {
    mkdir tmp
    TMPDIR=$PWD/tmp "$TWINGRAD" power --engine builtin --faults RG-1 --trials 2 --budget 60 --jobs 2 >found.txt
    grep -q '^RG-1 *2/2 ' found.txt
    TMPDIR=$PWD/tmp "$TWINGRAD" power --engine builtin --faults RG-2 --ops neg --trials 2 --budget 1 --jobs 2 --out never >/dev/null
    json 'len(r) == 3 and all("detected" not in t and t["seconds"] >= 0.95 for t in r[1:])' <never/trials.jsonl # 1 second of the clock is less where two share a core
    [ -z "$(ls tmp)" ]
}

@test "a run by an engine that is ended leaves no process, and no folder unless it is killed" {
    mkdir tmp
    for signal in TERM KILL; do
        TMPDIR=$PWD/tmp setsid "$TWINGRAD" power --engine builtin --faults RG-2 --ops neg --trials 4 --jobs 2 --budget 60 >out.txt 2>err.txt 3>&- & # never found
        pid=$!
        for ((i = 0; i < 300; i++)); do [ "$(pgrep -c -s "$pid" -x twingrad)" -ge 7 ] && break || sleep 0.1; done # with two campaigns of one job
        kill -$signal $pid
        wait $pid || [ $signal = KILL ]
        for ((i = 0; i < 50; i++)); do pgrep -s "$pid" >/dev/null && sleep 0.1 || break; done
        ! pgrep -s "$pid" || return 1
        [ $signal = KILL ] || [ -z "$(ls tmp)" ] || return 1
    done
}
