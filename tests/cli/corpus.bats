#!/usr/bin/env bats
# convert and distill: corpora as engines keep them and as people read them.
bats_require_minimum_version 1.5.0
load helper

# The programs of the corpora that are named, as canonical JSON, sorted.
programs() { "$TWINGRAD" convert --as json "$@" | sort; }

@test "a program comes back from its bytes" {
    seeds=$BATS_TEST_DIRNAME/../../corpus/seeds
    "$TWINGRAD" convert --as bytes --out bytes "$seeds"
    "$TWINGRAD" convert --out back bytes | grep -qE '^[0-9]+ programs converted$'
    [ "$(ls bytes | wc -l)" -eq "$(ls "$seeds"/*.json | wc -l)" ]
    diff <(programs "$seeds") <(programs back)
    diff <(programs "$seeds") <(programs bytes)
    diff <("$TWINGRAD" show --as json "$seeds/skew_symmetric.json") back/skew_symmetric.json
}

@test "one program goes to standard output, in the other form" {
    "$TWINGRAD" convert good.json >good.bytes
    [ "$(head -c 1 good.bytes)" != '{' ]
    "$TWINGRAD" convert good.bytes | json 'r[0]["name"] == "good" and len(r[0]["body"]) == 2'
    "$TWINGRAD" convert --as json good.json | json 'r[0]["name"] == "good"'
    cmp good.bytes <("$TWINGRAD" convert --as bytes good.bytes)
    cmp good.bytes <("$TWINGRAD" convert --as bytes - <good.json)
}

@test "random programs are converted too" {
    "$TWINGRAD" convert --runs 20 --seed 4 --ops add,mul --quiet --as bytes --out random
    [ "$(ls random | wc -l)" -eq 20 ]
    diff <(programs random) <("$TWINGRAD" convert --runs 20 --seed 4 --ops add,mul | sort)
    [ -e random/fuzz-4-19.bytes ]
}

@test "mutants stand for a program, the same for the same seed, and can be checked" {
    seed=$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json
    "$TWINGRAD" convert --as json --mutants 20 --seed 5 "$seed" >mutants.jsonl
    diff mutants.jsonl <("$TWINGRAD" convert --as json --mutants 20 --seed 5 "$seed")
    json '[p["name"] for p in r] == ["skew_symmetric.%d" % k for k in range(1, 21)]' <mutants.jsonl
    json 'len({json.dumps([p["body"], p["inputs"]]) for p in r}) > 15' <mutants.jsonl
    "$TWINGRAD" check --quiet mutants.jsonl
    "$TWINGRAD" convert --runs 3 --mutants 2 --as json | json 'len(r) == 6 and r[1]["name"] == "fuzz-1-0.2"'
}

@test "check and the other readers take bytes that are named .bytes or marked as bytes" {
    "$TWINGRAD" convert good.json >crash-1234
    run "$TWINGRAD" check --bytes crash-1234
    [ "$output" = 'crash-1234 (good): 2 statements, 1 call: agree' ]
    "$TWINGRAD" show --as json --bytes crash-1234 | grep -q '"op": "mul"'
    cp crash-1234 good.bytes
    "$TWINGRAD" check good.bytes
    head -c 1000 "$TWINGRAD" >anything
    "$TWINGRAD" check --bytes anything
    "$TWINGRAD" check --bytes good.json
}

@test "a file that is neither JSON nor marked as bytes is refused" {
    printf '# a readme\n' >README.md
    "$TWINGRAD" convert good.json >crash-1234
    for command in check run show trace; do
        refused $command README.md
        grep -q -- 'README.md: .*--bytes' err.txt
        refused $command crash-1234
    done
    run "$TWINGRAD" replay README.md
    [ "$status" -eq 2 ]
    refused minimize README.md
    refused check --bytes bad.json || [ -s out.txt ]
    cp good.json no-extension
    "$TWINGRAD" check no-extension
}

@test "a file or folder without a program is bad input for every command that reads programs" {
    : >empty.jsonl
    mkdir nothing
    for command in check run minimize bisect trace show promote convert "show --as issue" "distill --out D"; do
        refused $command empty.jsonl
        [ "$(cat err.txt)" = "twingrad: there is no program in 'empty.jsonl'" ]
    done
    refused convert nothing
    refused distill --out D nothing
    refused fuzz --runs 3 --corpus nothing
    [ ! -e D ]
    run "$TWINGRAD" check empty.jsonl good.json # the others are still checked
    [ "$status" -eq 2 ]
    [[ $output == *'good.json (good): 2 statements, 1 call: agree'* ]]
}

@test "convert, distill and fuzz --corpus take a file as bytes only by its name, its folder or --bytes" {
    echo hello >text.txt
    mkdir folder
    cp text.txt folder/text
    for command in convert "distill --out D" "fuzz --runs 3 --corpus" "fuzz --engine builtin --runs 3 --corpus"; do
        refused $command text.txt
        grep -q 'text.txt: .*JSON.* named .bytes' err.txt
    done
    "$TWINGRAD" convert --bytes text.txt | json 'r[0]["body"] == []'
    "$TWINGRAD" distill --bytes --out D text.txt | grep -q '^1 programs, 1 kept'
    "$TWINGRAD" convert --quiet --out out folder
    "$TWINGRAD" fuzz --quiet --runs 3 --corpus folder
    for bad in empty.json half.json; do
        : >empty.json
        printf '\n[' >half.json
        refused fuzz --runs 3 --corpus $bad
        grep -q "^twingrad: $bad: line [12]" err.txt
    done
    { echo; cat good.json; } >blank.json
    "$TWINGRAD" fuzz --quiet --runs 3 --corpus blank.json
}

@test "what an engine wrote is bytes unless it begins with {, as for the engine" {
    mkdir queue
    printf '\n{abc' >queue/id-1
    "$TWINGRAD" convert queue | json 'len(r) == 1'
    "$TWINGRAD" distill --quiet --out small queue
    "$TWINGRAD" check --quiet --bytes queue/id-1
    refused check queue/id-1
    grep -q 'not JSON, and not named .bytes' err.txt
}

@test "a link to a folder that it is in is passed over" {
    mkdir -p folder/deep
    cp good.json folder/deep
    ln -s . folder/self
    ln -s deep folder/other # no circle
    run -0 "$TWINGRAD" replay folder
    [[ $output == '2 programs: 2 agreed, '* ]]
    [ "$("$TWINGRAD" convert --as json folder | wc -l)" -eq 2 ]
}

@test "programs that state semantics are converted to bytes without them, and those written are counted" {
    sed 's/"name": "good"/"name": "old", "semantics": "2.8"/' good.json >old.json
    sed 's/"size": \[3\]/"size": [5000]/' good.json >large.json
    run "$TWINGRAD" convert --as bytes --out out old.json good.json large.json
    [ "$status" -eq 2 ]
    grep -q 'large.json: larger than engines take' <<<"$output"
    [ "$(grep -c '^twingrad: ' <<<"$output")" -eq 1 ]
    grep -qx '2 programs converted, 1 without their semantics, which bytes do not hold' <<<"$output"
    [ "$(ls out | tr '\n' ' ')" = 'good.bytes old.bytes ' ]
    "$TWINGRAD" convert out/old.bytes | json '"semantics" not in r[0] and r[0]["name"] == "old"'
}

@test "lines of a file and equal names get names of their own" {
    mkdir -p a b
    cp good.json a/p.json
    cp good.json b/p.json
    { tr -d '\n' <good.json; echo; tr -d '\n' <good.json; echo; } >two.jsonl
    "$TWINGRAD" convert --quiet --out out a b two.jsonl
    [ "$(ls out | tr '\n' ' ')" = 'p-2.bytes p.bytes two-1.bytes two-2.bytes ' ]
}

@test "what cannot be converted is said, and the rest is done" {
    refused convert
    refused convert nothing.json
    refused convert --as xml good.json
    refused convert --as bytes good.json good.json || [ -s out.txt ]
    sed 's/"size": \[3\]/"size": [5000]/' good.json >large.json
    refused convert large.json
    grep -q 'larger than engines take' err.txt
    mkdir some
    cp good.json some/good.json
    echo '{"twingrad": 1' >some/bad.json
    status=0
    "$TWINGRAD" convert --out out some 2>err.txt || status=$?
    [ "$status" -eq 2 ]
    [ -s out/good.bytes ]
    touch file
    status=0
    "$TWINGRAD" convert --out file/out good.json 2>err.txt || status=$?
    [ "$status" -eq 3 ]
}

@test "convert replaces no file that exists, and writes nothing then" {
    mkdir -p cv other
    cp good.json cv/s.json
    sed 's/"good"/"second"/' good.json >cv/s-2.json
    cp -r cv before
    refused convert --mutants 2 --as json --out cv cv/s.json
    grep -q "^twingrad: cv/s.json exists already: nothing is written" err.txt
    refused convert --as json --out cv cv
    cp good.json other/a.json
    refused convert --as json --out cv other/a.json cv/s-2.json # a.json is new
    diff -r before cv
    run "$TWINGRAD" convert --out cv cv # other names
    [ "$output" = '2 programs converted' ]
    [ "$(ls cv | tr '\n' ' ')" = 's-2.bytes s-2.json s.bytes s.json ' ]
    refused convert --out cv cv/s.json
    "$TWINGRAD" convert --quiet --out cv other
    [ -e cv/a.bytes ]
}

@test "distill does not replace a part of the corpus" {
    mkdir own
    { tr -d '\n' <good.json; echo; } >own/programs.jsonl
    cp own/programs.jsonl before
    ln -s own/programs.jsonl link.jsonl
    for corpus in own own/ own/programs.jsonl link.jsonl .; do
        refused distill --out own $corpus
        grep -q '^twingrad: own/programs.jsonl is part of the corpus: ' err.txt
    done
    cmp before own/programs.jsonl
    run -2 "$TWINGRAD" distill --out own - <own/programs.jsonl
    cmp before own/programs.jsonl
    [ "$(ls own)" = programs.jsonl ]
    "$TWINGRAD" distill --quiet --out own good.json # over an older answer
}

@test "what distill keeps shows all that the corpus shows, and nothing can be left out of it twice" {
    "$TWINGRAD" distill --runs 1500 --out once --json >once.json
    json '300 < r[0]["kept"] < 1000 and r[0]["programs"] == 1500 and r[0]["traits"]["step"] > 200 and r[0]["traits"]["error"] > 30' <once.json
    "$TWINGRAD" distill once/programs.jsonl --out twice --json >twice.json
    python3 -c "
import json
once, twice = (json.load(open(n + '.json')) for n in ('once', 'twice'))
assert once['traits'] == twice['traits'], (once, twice)
assert twice['kept'] <= once['kept'] == twice['programs']
lines = [json.loads(l) for l in open('once/brings.jsonl')]
gains = [len(l['brings']) for l in lines]
assert gains == sorted(gains, reverse=True) and gains[-1] > 0, gains
assert sum(gains) == sum(once['traits'].values())
assert len({t for l in lines for t in l['brings']}) == sum(gains)
assert len(lines) == sum(1 for l in open('once/programs.jsonl'))
"
}

@test "distill answers the same whatever the order and the form of the corpus" {
    "$TWINGRAD" distill --runs 300 --quiet --out corpus
    "$TWINGRAD" convert --quiet --as bytes --out bytes corpus/programs.jsonl
    mkdir -p afl/main/queue afl/main/.state afl/main/crashes
    cp bytes/* afl/main/queue
    echo 'start_time : 0' >afl/main/fuzzer_stats
    echo 'no program' >afl/main/crashes/README.txt
    tac corpus/programs.jsonl >reversed.jsonl
    for from in corpus/programs.jsonl reversed.jsonl bytes afl "bytes afl"; do
        "$TWINGRAD" distill --out out $from --json | json 'r[0]["kept"] > 100'
        [ -e first ] || cp out/programs.jsonl first
        cmp first out/programs.jsonl
    done
}

@test "distill keeps every signature" {
    cp "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json" .
    "$TWINGRAD" distill --fault RG-1 --runs 400 --out out skew_symmetric.json --json >out.json
    json 'r[0]["findings"] > 0 and r[0]["traits"]["signature"] > 0 and r[0]["traits"]["oracle"] > 0' <out.json
    grep -q '"signature:trace-requires_grad-setitem"' out/brings.jsonl
    "$TWINGRAD" replay --fault RG-1 --quiet out/programs.jsonl | grep -q trace-requires_grad-setitem
}

@test "distill keeps the semantics that programs state" {
    for release in 1.13 2.8; do
        sed 's/"name": "good"/"name": "good", "semantics": "'$release'"/' good.json | tr -d '\n'
        echo
    done >two.jsonl
    "$TWINGRAD" distill --quiet --out out two.jsonl
    json '[p["semantics"] for p in r] == ["1.13"]' <out/programs.jsonl # which shows all that the other does
    tac two.jsonl >reversed.jsonl
    "$TWINGRAD" distill --quiet --out reversed reversed.jsonl
    cmp out/programs.jsonl reversed/programs.jsonl
    "$TWINGRAD" distill --quiet --out none good.json
    json '"semantics" not in r[0]' <none/programs.jsonl
}

@test "distill without a corpus, a folder to write to, or with a bad one" {
    refused distill --out out
    refused distill good.json
    refused distill --out out nothing
    refused distill --out out --runs 1 --profile nothing
    status=0
    touch file
    "$TWINGRAD" distill --runs 10 --out file/out 2>err.txt || status=$?
    [ "$status" -eq 3 ]
}
