#!/usr/bin/env bats
# Campaigns: found, grouped, reported; killed and resumed; interrupted; refused.
load ../cli/helper

# What is the same for the same seed, of the summary in a campaign's folder.
summary() { python3 -c 'import json, sys; s = json.load(open(sys.argv[1] + "/campaign/summary.json")); s.pop("interrupted"); s.pop("judged"); print(json.dumps(s))' "$1"; }

# Waits until a campaign has kept some programs.
under_way() {
    for _ in $(seq 200); do
        [ "$(ls "$1"/campaign/corpus 2>/dev/null | wc -l)" -lt "${2:-30}" ] || return 0
        sleep 0.05
    done
    return 1
}

# Resumes a campaign that was killed: what it left behind may take a moment to end.
go_on() {
    for _ in $(seq 100); do
        status=0
        "$TWINGRAD" fuzz --resume "$@" >text 2>errors || status=$?
        grep -q 'another campaign' errors || break
        sleep 0.1
    done
}

# A target that leaves the file "$1" as an artifact, as libFuzzer would, and ends like it.
fake_target() {
    cat >fake <<END
#!/bin/sh
for word; do case \$word in -artifact_prefix=*) cp "$1" "\${word#*=}crash-1";; esac; done
sleep 60
END
    chmod +x fake
}

@test "a campaign of two jobs finds a seeded fault, groups it and reports it" {
    status=0
    "$TWINGRAD" fuzz --jobs 2 --runs 3000 --fault RG-1 --out out >text || status=$?
    [ "$status" -eq 1 ]
    grep -q '^FINDING trace-requires_grad-setitem: ' text
    [ "$(grep -c '^FINDING trace-requires_grad-setitem' text)" -eq 1 ]
    grep -qE '^3000 programs, .* findings' text
    for part in case.json minimized.json repro.py finding.md; do
        [ -s out/trace-requires_grad-setitem/$part ]
    done
    run "$TWINGRAD" check --fault RG-1 out/trace-requires_grad-setitem/minimized.json
    [ "$status" -eq 1 ]
    [ -z "$(ls out/campaign/new)" ]
    [ "$(wc -l <out/campaign/records.jsonl)" -ge 1 ]
}

@test "without a fault nothing is found, and what jobs check depends only on the seed and their number" {
    "$TWINGRAD" fuzz --jobs 2 --runs 1500 --seed 5 --out a --json >text
    "$TWINGRAD" fuzz --jobs 2 --runs 1500 --seed 5 --out b --quiet
    [ "$(summary a)" = "$(summary b)" ]
    python3 - <<'END'
import json
records = [json.loads(line) for line in open("text")]
assert records[0]["type"] == "start" and records[-1]["type"] == "summary" and any(r["type"] == "record" for r in records), records
s = records[-1]
assert s["programs"] == 1500 and s["agree"] + s["skipped"] == 1500 and s["findings"] == 0, s
assert s["features"] > 500 and s["corpus"] > 100, s
END
    "$TWINGRAD" fuzz --jobs 1 --runs 1500 --seed 6 --out c --quiet
    [ "$(summary a)" != "$(summary c)" ]
}

@test "killed by -9 in the middle and resumed, nothing is lost and nothing is counted twice" {
    runs=30000
    ! sanitized || runs=6000
    "$TWINGRAD" fuzz --jobs 2 --runs $runs --fault RG-1 --out whole >/dev/null || true
    for round in 1 2 3; do
        resume=$([ "$round" -eq 1 ] || echo --resume)
        "$TWINGRAD" fuzz --jobs 2 --runs $runs --fault RG-1 --out killed $resume >text 2>&1 3>&- &
        pid=$!
        under_way killed $((round * 60))
        jobs=$(pgrep -P "$pid" || true)
        kill -9 "$pid"
        wait "$pid" || true
        for job in $jobs; do
            for _ in $(seq 500); do kill -0 "$job" 2>/dev/null || break; sleep 0.02; done
            ! kill -0 "$job" 2>/dev/null
        done
    done
    [ ! -e killed/campaign/ended ]
    go_on --out killed
    [ "$status" -eq 1 ]
    grep -qE '^going on after [0-9]+ programs' text
    [ "$(summary killed)" = "$(summary whole)" ]
    [ -s killed/trace-requires_grad-setitem/minimized.json ]
    [ "$(ls killed | grep -v campaign)" = "$(ls whole | grep -v campaign)" ]
}

@test "a campaign that was cut short is not overwritten by another one" {
    "$TWINGRAD" fuzz --jobs 1 --seconds 60 --out cut --quiet 3>&- &
    pid=$!
    under_way cut
    run "$TWINGRAD" fuzz --resume --out cut
    [ "$status" -eq 3 ]
    [[ "$output" == *"another campaign is running"* ]]
    kill -9 "$pid"
    wait "$pid" || true
    refused fuzz --jobs 1 --runs 10 --out cut
    grep -q -- '--resume' err.txt
    refused fuzz --resume --seed 2 --out cut
    refused fuzz --resume --fault RG-1 --out cut
    refused fuzz --resume --jobs 2 --out cut
}

@test "^C ends a campaign with a summary, and it can go on" {
    "$TWINGRAD" fuzz --jobs 2 --seconds 60 --out out >text 3>&- &
    pid=$!
    under_way out
    kill -INT "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -le 1 ]
    grep -qE '^interrupted: [0-9]+ programs' text
    [ -s out/campaign/summary.json ]
    run "$TWINGRAD" fuzz --resume --runs 100 --out out
    [ "$status" -le 1 ]
    [[ "$output" == *"going on after"* ]]
}

@test "a campaign that ended leaves its corpus to the next one" {
    "$TWINGRAD" fuzz --jobs 1 --runs 300 --out out --quiet
    kept=$(ls out/campaign/corpus | wc -l)
    "$TWINGRAD" fuzz --jobs 1 --runs 300 --out out --quiet
    [ "$(ls out/campaign/corpus | grep -c '^seed-kept-')" -eq "$kept" ]
}

@test "programs to begin with come from JSON and from bytes" {
    mkdir given
    cp good.json given/
    "$TWINGRAD" show --as json good.json | tr -d '\n' >given/two.jsonl
    printf '\001\003\002\001\125\252\000\377\356\010\007\006\005\004\003\002\001\021\042\063\104' >given/bytes
    "$TWINGRAD" fuzz --jobs 1 --runs 3 --corpus given --out out >text
    [ "$(ls out/campaign/corpus | grep -c '^seed-given-')" -eq 3 ]
    mkdir empty
    refused fuzz --jobs 1 --runs 3 --corpus empty --out other
    refused fuzz --jobs 1 --runs 3 --corpus nowhere --out another
}

@test "an artifact counts only if the program does it again" {
    fake_target "$PWD/good.json"
    run "$TWINGRAD" fuzz --engine libfuzzer --binary ./fake --seconds 5 --out out
    [ "$status" -eq 0 ]
    [ -e out/campaign/judged/libfuzzer-0-crash-1 ]
    [ -z "$(find out -mindepth 1 -maxdepth 1 -type d ! -name campaign)" ]
    fake_target "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json"
    run "$TWINGRAD" fuzz --engine libfuzzer --binary ./fake --seconds 60 --first --fault RG-1 --out seen
    [ "$status" -eq 1 ]
    [[ "$output" == *"FINDING trace-requires_grad-setitem"* ]]
    [ -s seen/trace-requires_grad-setitem/minimized.json ]
}

@test "a job is not taken for stuck at its start" {
    printf '#!/bin/sh\necho started >>"%s/starts"\nsleep 60\n' "$PWD" >fake
    chmod +x fake
    "$TWINGRAD" fuzz --engine libfuzzer --binary ./fake --seconds 3 --out out
    [ "$(wc -l <starts)" -eq 1 ]
}

@test "an artifact that is still being written is not read" {
    seed=$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json
    cat >fake <<END
#!/bin/sh
for word; do case \$word in -artifact_prefix=*) to="\${word#*=}crash-1";; esac; done
head -c 40 "$seed" >"\$to"
for wait in 1 2 3 4; do sleep 0.4; touch "\$to"; done
tail -c +41 "$seed" >>"\$to"
sleep 60
END
    chmod +x fake
    run "$TWINGRAD" fuzz --engine libfuzzer --binary ./fake --seconds 60 --first --fault RG-1 --out out
    [ "$status" -eq 1 ]
    [[ "$output" == *"FINDING trace-requires_grad-setitem"* ]]
}

# The C compiler is started by the process that runs the artifact: its parent's descriptor 2 must not be free for the next file that is opened.
@test "standard error stays open in the process that runs an artifact" {
    printf '#!/bin/sh\nreadlink "/proc/$PPID/fd/2" >>"%s/stderr" || echo closed >>"%s/stderr"\nexec cc "$@"\n' "$PWD" "$PWD" >compiler
    chmod +x compiler
    fake_target "$PWD/good.json"
    CC=$PWD/compiler "$TWINGRAD" fuzz --engine libfuzzer --binary ./fake --pair compiled,compiled:native --seconds 3 --out out
    [ -e out/campaign/judged/libfuzzer-0-crash-1 ]
    grep -qx /dev/null stderr
    ! grep -qx closed stderr
}

@test "a job that is killed from outside leaves no finding, and the numbers of a run that was not disturbed" {
    "$TWINGRAD" fuzz --jobs 1 --runs 2000 --out whole --quiet
    "$TWINGRAD" fuzz --jobs 1 --runs 2000 --out killed --quiet 3>&- &
    pid=$!
    for kept in 60 150 300; do
        under_way killed $kept
        kill -9 $(pgrep -P "$pid") || true # it may have ended on a slow machine
    done
    wait "$pid"
    [ -z "$(ls killed/campaign/judged)" ]
    [ "$(summary killed)" = "$(summary whole)" ]
}

@test "a program that needs more memory than there is is a finding, and the campaign goes on" {
    ! sanitized || skip "a sanitizer needs more than any limit"
    for limit in 60000 70000 80000 100000 120000; do # one under which most programs run
        rm -rf out
        status=0
        (ulimit -v $limit; "$TWINGRAD" fuzz --jobs 1 --runs 1500 --max-elements 65536 --out out >text 2>errors) || status=$?
        [ "$status" -eq 3 ] || break
    done
    [ "$status" -eq 1 ] || { cat text errors; return 1; }
    grep -q '^FINDING status-crash_exit_3-' text
    grep -q '^1500 programs, ' text
}

@test "a program in which the process ends itself, as a sanitizer does, is a finding, and the campaign goes on" {
    ! sanitized || skip "a sanitizer wants to be the first library"
    echo '#include <unistd.h>
double asinh(double x) { _exit(x == x ? 1 : 2); }' | cc -shared -fPIC -fno-builtin -o ends.so -x c -
    status=0
    LD_PRELOAD=$PWD/ends.so "$TWINGRAD" fuzz --jobs 1 --runs 400 --out out >text 2>errors || status=$?
    [ "$status" -eq 1 ] || { cat text errors; return 1; }
    grep -q '^FINDING status-crash_exit_1-' text
    grep -q '^400 programs, ' text || { tail -n 5 text; return 1; }
}

# A C compiler that does $1, up to $2 times, to the process that confirms a file, or with "$3" = apart to the one that this one runs its program in.
fake_compiler() {
    cat >compiler <<END
#!/bin/sh
read -r _ _ _ parent _ <"/proc/\$PPID/stat"
read -r campaign <"$PWD/pid"
case \$campaign in \$PPID) by=campaign;; \$parent) by=confirm;; *) by=apart;; esac
[ \$by != ${3:-confirm} ] || [ "\$(wc -l <"$PWD/times")" -ge $2 ] || case "\$*" in *-shared*) echo >>"$PWD/times"; $1;; esac
exec cc "\$@"
END
    chmod +x compiler
    : >times
}

# A campaign in out/ that has ended, with files "$@" to be confirmed on two tiers of the compiled executor.
to_confirm() {
    "$TWINGRAD" fuzz --jobs 1 --runs 1 --pair compiled,compiled:native --out out --quiet
    rm out/campaign/ended
    for name in "$@"; do cp good.json "out/campaign/new/$name"; done
}

# Goes on with the campaign in out/; pid names its process.
resume() { sh -c 'echo $$ >pid; exec "$@"' sh env CC="$PWD/compiler" "$TWINGRAD" fuzz --resume --out out "$@"; }

@test "a file whose confirming process ends without an answer is kept, the others are confirmed, and it is exit 3" {
    to_confirm builtin-0-a.json builtin-0-b.json
    fake_compiler '[ "$(wc -l <times)" -lt 2 ] || exit 1' 2 # the first call is a probe
    status=0
    resume >text 2>errors || status=$?
    [ "$status" -eq 3 ] || { cat text errors; return 1; }
    grep -q 'cannot confirm .*/new/builtin-0-a.json: the process that does so ended with status 3; it is kept there' errors || { cat errors times; return 1; }
    [ "$(ls out/campaign/new)" = builtin-0-a.json ]
    [ "$(ls out/campaign/judged)" = builtin-0-b.json ]
    [ ! -e out/campaign/ended ]
    resume >text
    [ -z "$(ls out/campaign/new)" ]
}

@test "a program that ends both processes that confirm it is a finding in all reports" {
    to_confirm builtin-0-a.json
    fake_compiler 'kill -ABRT $PPID; exit 1' 2
    status=0
    resume --junit junit.xml --sarif sarif.json >text 2>errors || status=$?
    [ "$status" -eq 1 ] || { cat text errors; return 1; }
    grep -q '^FINDING status-crash_signal_6-program: ' text
    [ -s out/status-crash_signal_6-program/minimized.json ]
    for report in out/results.json out/campaign/summary.json out/report.html junit.xml sarif.json; do
        grep -q status-crash_signal_6-program "$report" || { echo "$report"; return 1; }
    done
    [ "$(ls out/campaign/judged)" = builtin-0-a.json ]
}

@test "a campaign that is killed or interrupted while it confirms leaves no process that holds its lock" {
    to_confirm builtin-0-a.json
    for signal in KILL TERM; do
        fake_compiler 'sleep 20' 1 apart
        resume >text 3>&- &
        for _ in $(seq 200); do [ ! -s times ] || break; sleep 0.05; done
        [ -s times ]
        kill -$signal "$(cat pid)"
        wait $! || true
        [ -n "$(ls out/campaign/new)" ]
        for _ in $(seq 50); do
            "$TWINGRAD" fuzz --resume --seconds 0.001 --out out >text 2>errors || true
            grep -q 'another campaign' errors || break
            sleep 0.1
        done
        ! grep -q 'another campaign' errors || { cat errors; return 1; }
        cp good.json out/campaign/new/builtin-0-b.json
    done
}

@test "findings that are not confirmed yet are in all reports, and exit 1; --resume confirms them" {
    "$TWINGRAD" fuzz --jobs 1 --runs 300 --fault RG-1 --out out >/dev/null || true
    mv out/campaign/judged/* out/campaign/new
    for k in $(seq 100 400); do cp good.json out/campaign/new/a-$k; done # before it in order, to have time
    rm -r out/campaign/verdicts out/campaign/ended out/campaign/judged out/trace-*
    "$TWINGRAD" fuzz --resume --out out --junit junit.xml --sarif sarif.json --markdown summary.md >text 3>&- &
    for _ in $(seq 200); do [ -z "$(ls out/campaign/judged 2>/dev/null)" ] || break; sleep 0.02; done
    kill -TERM $!
    status=0
    wait $! || status=$?
    [ "$status" -eq 1 ] || { cat text; return 1; }
    grep -q '^interrupted: 300 programs' text
    grep -qE '^  trace-requires_grad-setitem +[0-9]+  unconfirmed$' text
    [ "$(grep -c 'Nothing differed\|no new finding' out/report.html)" -eq 0 ]
    [ ! -e out/campaign/ended ]
    python3 - <<'END'
import json, xml.dom.minidom
results = json.load(open("out/results.json"))
files = {f["signature"]: f for f in results["findings"] if f["outcome"] == "unconfirmed"}
assert results["summary"]["interrupted"] and results["summary"]["unconfirmed"] == files["status-unconfirmed-program"]["count"] + len(files) - 1, results
assert files["trace-requires_grad-setitem"]["oracle"] == "trace" and files["trace-requires_grad-setitem"]["statements"] > 0, files
assert "/campaign/new/a-" in files["status-unconfirmed-program"]["file"], files
assert int(xml.dom.minidom.parse("junit.xml").documentElement.getAttribute("failures")) == len(files)
assert [r["level"] for r in json.load(open("sarif.json"))["runs"][0]["results"]] == ["warning"] * len(files)
END
    grep -q '| unconfirmed | status-unconfirmed-program |' summary.md
    grep -q 'unconfirmed finding' out/report.html
    rm out/campaign/new/a-*
    status=0
    "$TWINGRAD" fuzz --resume --out out >text || status=$?
    [ "$status" -eq 1 ]
    [ -s out/trace-requires_grad-setitem/minimized.json ]
    [ -z "$(ls out/campaign/new)" ]
    [ "$(grep -c unconfirmed text)" -eq 0 ]
    [ -e out/campaign/ended ]
}

@test "a target that does not start is reported with the last line of its log" {
    printf '#!/bin/sh\necho no such thing >&2\nexit 9\n' >fake
    chmod +x fake
    status=0
    "$TWINGRAD" fuzz --engine libfuzzer --binary ./fake --seconds 20 --out out >text 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q 'job libfuzzer-0 does not run: no such thing' err
}

@test "bad arguments of campaigns" {
    refused fuzz --engine nothing
    grep -q 'builtin, libfuzzer, afl' err.txt
    refused fuzz --jobs 0
    refused fuzz --jobs 65
    refused fuzz --jobs two
    refused fuzz --resume
    refused fuzz --resume --out nowhere
    refused fuzz --jobs 1 --stats --runs 10 --out out
    refused fuzz --jobs 1 --every --runs 10 --out out
    refused fuzz --jobs 1 --pair reference,nobody --runs 10 --out out
    refused fuzz --engine libfuzzer --pair reference,torch:eager --runs 10 --out out
    refused fuzz --runs 10 --corpus nowhere
    refused fuzz --runs 10 --binary ./fake
}

@test "an engine that is not installed is exit 3 and one sentence" {
    for words in "--engine libfuzzer --binary ./nothing" "--engine afl --binary ./nothing"; do
        status=0
        PATH=/nonexistent "$TWINGRAD" fuzz $words --seconds 1 --out out >out.txt 2>err.txt || status=$?
        [ "$status" -eq 3 ]
        [ "$(wc -l <err.txt)" -eq 1 ]
    done
    grep -q 'afl-fuzz is not on the PATH' err.txt
    cp "$TWINGRAD" alone
    status=0
    ./alone fuzz --engine libfuzzer --seconds 1 --out out 2>err.txt || status=$?
    [ "$status" -eq 3 ]
    grep -q "make engine ENGINE=libfuzzer" err.txt
}

@test "libFuzzer finds a seeded fault, and goes on after kill -9" {
    [ -x "$(dirname "$TWINGRAD")/../libfuzzer/campaign" ] || skip "its target is not built"
    "$TWINGRAD" fuzz --engine libfuzzer --jobs 2 --seconds 60 --fault RG-1 --out out >text 2>&1 3>&- &
    pid=$!
    under_way out 300
    kill -9 "$pid"
    wait "$pid" || true
    before=$(ls out/campaign/corpus | wc -l)
    go_on --first --out out
    [ "$status" -eq 1 ]
    grep -q '^FINDING ' text || ls -d out/trace-*
    [ "$(ls out/campaign/corpus | wc -l)" -ge "$before" ]
}

@test "AFL++ finds a seeded fault, and goes on after kill -9" {
    [ -x "$(dirname "$TWINGRAD")/../afl/campaign" ] && command -v afl-fuzz || skip "its target is not built"
    "$TWINGRAD" fuzz --engine afl --seconds 60 --fault RG-1 --out out >text 2>&1 3>&- &
    pid=$!
    under_way out 270
    kill -9 "$pid"
    wait "$pid" || true
    go_on --first --out out
    [ "$status" -eq 1 ]
    grep -q '^FINDING ' text || ls -d out/trace-*
}

# with_disk COMMAND: runs it in a user namespace of its own, in which ./disk is a file system of $size; skips the test where that is not allowed.
with_disk() {
    mkdir -p disk
    unshare -rm sh -c 'mount -t tmpfs -o size=1m none disk' 2>/dev/null || skip "no mount in a user namespace"
    unshare -rm sh -c "mount -t tmpfs -o size=$size none disk && $1"
}

@test "a full disk ends a campaign with one sentence; with room again it goes on to the same numbers" {
    local runs=4000 sizes="900k 1100k 1300k 1600k 2000k"
    ! sanitized || { runs=1500 sizes="900k 1200k"; }
    "$TWINGRAD" fuzz --jobs 2 --runs $runs --fault RG-1 --out whole >/dev/null || true
    export runs
    for size in $sizes; do
        rm -rf kept
        # the program is copied out of the small file system, into which nothing else fits, and goes on where there is room
        with_disk '"$TWINGRAD" fuzz --jobs 2 --runs $runs --fault RG-1 --out disk/out >text 2>errors; echo $? >status; cp -r disk/out kept'
        [ "$(cat status)" -eq 3 ] || [ "$(cat status)" -eq 1 ] || { cat text errors; return 1; }
        if [ "$(cat status)" -eq 3 ]; then
            grep -q '^twingrad: .*No space left on device' errors || { cat errors; return 1; }
            ! grep -q 'signal' errors
        fi
        if [ ! -e kept/campaign/ended ] && [ -e kept/campaign/ledger ]; then
            status=0
            "$TWINGRAD" fuzz --resume --out kept >text 2>errors || status=$?
            [ "$status" -eq 1 ] || { cat text errors; return 1; }
        fi
        [ ! -e kept/campaign/ledger ] || [ "$(summary kept)" = "$(summary whole)" ]
        [ -z "$(find kept -name '*.tmp')" ]
    done
}

@test "a damaged ledger is reported, and the campaign goes on with the rest" {
    "$TWINGRAD" fuzz --jobs 1 --runs 3000 --fault RG-1 --out out >/dev/null || true
    rm out/campaign/ended
    head -c 900 /dev/zero | tr '\0' 'x' | dd of=out/campaign/builtin-0/ledger bs=1 seek=16 conv=notrunc status=none # both copies of the counts
    status=0
    "$TWINGRAD" fuzz --resume --runs 4000 --out out >text 2>errors || status=$?
    [ "$status" -eq 1 ] || { cat errors; return 1; }
    grep -q "builtin-0/ledger' was damaged: .*; the rest is kept" errors
    truncate -s 100 out/campaign/builtin-0/ledger
    rm out/campaign/ended
    status=0
    "$TWINGRAD" fuzz --resume --runs 4000 --out out >text 2>errors || status=$?
    [ "$status" -eq 1 ] || { cat errors; return 1; }
    grep -q "builtin-0/ledger' was damaged: its counts begin at 0" errors
    grep -qE '^4000 programs' text
    [ -s out/trace-requires_grad-setitem/minimized.json ]
}

@test "what a killed run was writing is removed by the next one" {
    "$TWINGRAD" fuzz --runs 300 --fault RG-1 --out out --results results.json >/dev/null || true
    (exec true) & dead=$!
    wait $dead
    mkdir "out/.values-data-cat.$dead.tmp"
    echo part >"out/.values-data-cat.$dead.tmp/case.json"
    echo part >"results.json.$dead.tmp"
    echo part >"results.json.$$.tmp" # of a process that runs
    ln -s out "out/.link.$dead.tmp"
    touch -hd '1 minute ago' "out/.values-data-cat.$dead.tmp" results.json.*.tmp "out/.link.$dead.tmp"
    rm -r out/trace-*
    "$TWINGRAD" fuzz --runs 300 --fault RG-1 --out out --results results.json >/dev/null || true
    [ "$(ls -A out | grep -c tmp)" -eq 0 ]
    [ "$(echo results.json.*.tmp)" = "results.json.$$.tmp" ]
    # a link in the place of a temporary file is not followed
    "$TWINGRAD" fuzz --jobs 1 --runs 500 --out c >/dev/null
    rm c/campaign/ended
    echo precious >precious
    ln -sf "$PWD/precious" c/campaign/builtin-0/kept.tmp
    "$TWINGRAD" fuzz --resume --runs 1500 --out c >/dev/null
    [ "$(cat precious)" = precious ]
}

@test "shards of a builtin campaign check what its jobs would check" {
    "$TWINGRAD" fuzz --jobs 2 --runs 4000 --out whole --json >/dev/null
    for k in 1 2; do "$TWINGRAD" fuzz --jobs 1 --runs 4000 --shard $k/2 --out shard-$k --json >/dev/null; done
    "$TWINGRAD" report --merge shard-1/results.json shard-2/results.json >merged.json
    /usr/bin/python3 - <<'END'
import json
whole, merged = (json.load(open(name))["summary"] for name in ("whole/results.json", "merged.json"))
for key in ("programs", "calls", "statements", "agree", "refusals", "errors", "skipped", "skips"):
    assert merged[key] == whole[key], key
END
    refused fuzz --resume --out shard-1 --shard 2/2
    refused fuzz --engine afl --shard 1/2 --out other
}

@test "a resumed campaign writes again the seeds that a killed one had not" {
    mkdir given
    for k in 1 2 3; do sed "s/\"other\": 2/\"other\": $k/" good.json >given/$k.json; done
    "$TWINGRAD" fuzz --jobs 1 --runs 3 --corpus given --out whole >/dev/null
    cp -r whole killed # as if it had been killed behind its second seed
    rm -f killed/campaign/ended killed/campaign/seeded killed/campaign/corpus/seed-given-000002
    truncate -s 0 killed/campaign/builtin-0/ledger
    "$TWINGRAD" fuzz --resume --out killed >/dev/null
    diff -r whole/campaign/corpus killed/campaign/corpus
    refused fuzz --resume --out killed --corpus given
    # one that began is not seeded again
    rm -r given killed/campaign/ended
    "$TWINGRAD" fuzz --resume --runs 5 --out killed >/dev/null
}

@test "a campaign whose corpus cannot be read leaves nothing" {
    mkdir empty broken
    echo '{' >broken/a.json
    cp good.json broken/b.json
    refused fuzz --jobs 1 --runs 3 --corpus nowhere --out out
    refused fuzz --jobs 1 --runs 3 --corpus empty --out out
    [ ! -e out ]
    "$TWINGRAD" fuzz --jobs 1 --runs 3 --out out >/dev/null
}

@test "a campaign in the folder of one that ended has nothing of that one but its corpus and its reports" {
    status=0
    "$TWINGRAD" fuzz --jobs 2 --runs 2000 --fault RG-1 --out out >/dev/null || status=$?
    [ "$status" -eq 1 ]
    report=out/trace-requires_grad-setitem
    seq 50 >>out/campaign/records.jsonl
    mkdir -p out/campaign/afl/afl-0/queue
    echo old | tee out/campaign/new/builtin-0-old.json $report/case.json >$report/finding.md
    "$TWINGRAD" fuzz --jobs 1 --runs 300 --corpus good.json --out out >text
    ! grep -q '^FINDING\|old' text
    [ -z "$(ls out/campaign/new out/campaign/judged | grep json)" ]
    [ ! -e out/campaign/afl ] && [ ! -e out/campaign/builtin-1 ]
    [ "$(wc -l <out/campaign/records.jsonl)" -lt 50 ]
    [ "$(ls out/campaign/corpus | grep -c '^seed-given-')" -eq 1 ]
    [ "$(cat $report/case.json)" = old ]
    # what no campaign has written stays, also in a folder that happens to have this name
    mkdir -p mine/campaign/new
    echo mine | tee mine/campaign/notes mine/campaign/words.c >out/campaign/notes
    "$TWINGRAD" fuzz --jobs 1 --runs 10 --out mine >/dev/null
    [ "$(cat mine/campaign/notes mine/campaign/words.c)" = $'mine\nmine' ]
    # a finding that is there again is reported anew, and its record is about that report
    status=0
    "$TWINGRAD" fuzz --jobs 1 --runs 2000 --fault RG-1 --out out >/dev/null || status=$?
    [ "$status" -eq 1 ]
    grep -q '"twingrad"' $report/case.json
    [ "$(cat out/campaign/notes)" = mine ]
    statements=$("$TWINGRAD" check --fault RG-1 $report/minimized.json | sed -nE 's/.*: ([0-9]+) statements?, .*FINDING.*/\1/p')
    grep -q "\"file\":\"$report/minimized.json\",[^{}]*\"statements\":$statements," out/results.json
}

@test "a campaign goes on only with what decides its programs and findings" {
    fake_target "$PWD/good.json"
    "$TWINGRAD" fuzz --engine libfuzzer --binary ./fake --jobs 2 --seconds 1 --profile aliasing --out out >/dev/null
    rm out/campaign/ended
    other() {
        local what=$1
        shift
        refused fuzz --resume --out out "$@"
        grep -q "holds a campaign with another $what: it goes on with the same, or begins anew elsewhere" err.txt
    }
    other "number of jobs" --jobs 1
    other engine --engine builtin
    other profile --profile autograd
    other profile --profile mistake=50
    other "list of ops" --ops add,mul
    other semantics --semantics 1.13
    other seed --seed 2
    other "choice of oracles" --no-oracle alias
    other "size of programs" --max-statements 3
    "$TWINGRAD" fuzz --resume --out out --profile aliasing --jobs 2 --seconds 2 >/dev/null
    refused fuzz --jobs 1 --swarm-passes --runs 10 --out other
}

@test "a target that ends without checking a program is exit 3" {
    status=0
    "$TWINGRAD" fuzz --engine libfuzzer --binary /bin/true --seconds 60 --out out >text 2>err || status=$?
    [ "$status" -eq 3 ]
    grep -q 'job libfuzzer-0 does not run: it ends without checking a program' err
}

@test "make engine refuses an engine that does not exist" {
    run make -n -C "$BATS_TEST_DIRNAME/../.." engine ENGINE=libfuzz
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no engine 'libfuzz': builtin, libfuzzer, afl"* ]]
}

@test "a crash of AFL++ is confirmed although its number was given before, also from a folder that was moved aside" {
    cat >afl-fuzz <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
folder=$2/afl-0
[ ! -d "$folder/crashes" ] || mv "$folder/crashes" "$folder/crashes.2026-11-21-10:00:00"
mkdir -p "$folder/crashes"
[ ! -e "$HERE/late" ] || mv "$HERE/late" "$folder/crashes.2026-11-21-10:00:00/id:000000,sig:06"
cp "$HERE/next.json" "$folder/crashes/id:000000,sig:06"
exec sleep 60
END
    chmod +x afl-fuzz
    cp "$TWINGRAD" alone
    mkdir -p build/afl
    touch build/afl/twingrad_mutators.so
    cp good.json next.json
    export HERE=$PWD PATH=$PWD:$PATH
    ./alone fuzz --engine afl --binary ./afl-fuzz --seconds 2 --fault RG-1 --out out >/dev/null
    [ "$(ls out/campaign/judged)" = "$(ls out/campaign/judged | grep '^afl-0-crashes-id:000000-[0-9a-f]*$')" ]
    cp -r out moved
    cp "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json" next.json
    run ./alone fuzz --resume --seconds 60 --first --out out
    [ "$status" -eq 1 ]
    [[ "$output" == *"FINDING trace-requires_grad-setitem"* ]]
    mv next.json late
    cp good.json next.json
    run ./alone fuzz --resume --seconds 60 --first --out moved
    [ "$status" -eq 1 ]
    [[ "$output" == *"FINDING trace-requires_grad-setitem"* ]]
}
