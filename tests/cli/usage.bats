#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
# Arguments: help, version, what is unknown or malformed; where output goes and what happens when it cannot.
load helper

@test "help and version go to standard output with exit 0" {
    for words in --help -h help "help check" "check --help" --version version; do
        run "$TWINGRAD" $words
        [ "$status" -eq 0 ]
        [ -n "$output" ]
    done
}

@test "--version prints version, commit, compiler and PyTorch semantics" {
    root=$BATS_TEST_DIRNAME/../..
    run "$TWINGRAD" --version
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 5 ]
    [ "${lines[0]}" = "twingrad $(cat "$root/VERSION")" ]
    [[ "${lines[1]}" =~ ^commit:\ ([0-9a-f]{40}(-dirty)?|unknown)$ ]]
    [[ "${lines[2]}" =~ ^compiler:\ (gcc|clang)\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [ "${lines[3]}" = "semantics: PyTorch 2.15" ]
    [ "${lines[4]}" = "program format: 1, 2" ]
    first=$output
    run "$TWINGRAD" version
    [ "$output" = "$first" ]
    "$TWINGRAD" --help | grep -q -- '--version'
}

@test "the commit comes from git, from a source archive, or is unknown" {
    root=$BATS_TEST_DIRNAME/../..
    mkdir -p tree/mk && cp "$root/mk/commit" tree/mk/ && cp "$root/mk/commit.txt" tree/mk/
    export GIT_CEILING_DIRECTORIES=$PWD
    [ "$(tree/mk/commit)" = unknown ]
    echo 0123456789abcdef0123456789abcdef01234567 >tree/mk/commit.txt
    [ "$(tree/mk/commit)" = 0123456789abcdef0123456789abcdef01234567 ]
    echo 0123456789abcdef0123456789abcdef01234567-dirty >tree/mk/commit.txt
    [ "$(tree/mk/commit)" = 0123456789abcdef0123456789abcdef01234567-dirty ]
    command -v git >/dev/null || skip "no git here"
    export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@localhost
    git -C tree init -q && git -C tree add -A && git -C tree commit -q -m one && git -C tree tag v1
    [ "$(tree/mk/commit)" = "$(git -C tree rev-parse HEAD)" ]
    echo changed >>tree/mk/commit.txt
    [ "$(tree/mk/commit)" = "$(git -C tree rev-parse HEAD)-dirty" ]
}

@test "every command has help, and global help names it" {
    run "$TWINGRAD" --help
    all=$output
    for c in $(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$BATS_TEST_DIRNAME/../../harness/cli/commands.def"); do
        [[ "$all" == *"  $c "* ]]
        run "$TWINGRAD" "$c" --help
        [ "$status" -eq 0 ]
        [[ "$output" == *"usage: twingrad $c"* ]]
    done
}

@test "limits of 0, and options that would be ignored, are refused" {
    for words in "fuzz --runs 0" "minimize --runs 0 good.json" "convert --runs 0" "power --trials 0" "power --trials=0"; do
        refused $words
        grep -qE -- '--(runs|trials) needs a whole number above 0' err.txt
    done
    refused fuzz --mutate 10 --runs 1
    grep -q -- '--mutate is for campaigns' err.txt
    for words in "fuzz --runs 1 --strict" "fuzz --runs 1 --configs" "fuzz --runs 1 --no-triage" "check --strict good.json" \
        "check --strict --pair reference,compiled:native good.json" "replay --strict good.json"; do
        refused $words
        grep -q -- 'is for a --pair with a target' err.txt
    done
}

@test "a target that is not installed is said with what installs it, and --on with a mode as such" {
    echo '{"targets": {"torch": {"command": ["${dir}/build/torch/bin/python", "x.py"], "modes": ["eager", "dynamo"]}}}' >targets.json
    for words in "check --pair torch:eager,torch:dynamo good.json" "run --on torch:eager good.json"; do
        run -3 "$TWINGRAD" $words --targets targets.json
        grep -q "cannot run .*/build/torch/bin/python: No such file or directory ('make torch' installs it; --python PATH uses another)$" <<<"$output"
        run -3 "$TWINGRAD" $words --targets targets.json --python ./nowhere
        [[ $output == *"cannot run ./nowhere: No such file or directory" ]]
    done
    for words in "hunt --out out" upstream; do
        refused $words --targets targets.json --on torch:eager
        grep -q -- "--on takes a target without a mode (--modes takes them), not 'torch:eager'" err.txt
    done
    [ ! -e out ]
}

@test "no command, an unknown command, an unknown option" {
    refused
    refused nothing
    refused help nothing
    refused check --nothing good.json
    refused check -x good.json
    refused ops --seed 1
    refused check --json=yes good.json
}

@test "a command without its files, or with files it does not take" {
    refused check
    refused run
    refused replay
    refused show
    refused minimize
    refused minimize good.json good.json
    refused ops good.json
    refused fuzz good.json
}

@test "malformed values" {
    refused fuzz --seed x
    refused fuzz --seed -1
    for bad in nothing motif=101 motif=x small=0,large=0 ""; do refused fuzz --runs 1 --profile "$bad"; done
    for bad in nothing add.Nothing add,,mul - _as_strided_grad ""; do refused fuzz --runs 1 --ops "$bad"; done
    refused fuzz --runs 1 --max-elements 0
    refused fuzz --runs 1 --max-elements 65537
    refused fuzz --runs 1 --max-statements 0
    refused passes --runs 1 --max-statements 65
    refused fuzz --seed 99999999999999999999
    refused fuzz --seed
    refused fuzz --seconds 0
    refused fuzz --seconds soon
    refused fuzz --runs 1.5
    refused check --pair reference good.json
    refused check --pair reference,nobody good.json
    refused check --pair '' good.json
    refused run --on nobody good.json
    refused check --fault nothing good.json
    refused check --disable nothing good.json
    refused check --disable joint good.json
    refused check --only nothing good.json
    refused check --opt-limit many good.json
    refused show --as picture good.json
    refused show --after cse good.json
    refused show --as ir --after nothing good.json
}

@test "a message about an option names it" {
    refused fuzz --seed x
    grep -q -- '--seed' err.txt
    refused check --fault nothing good.json
    grep -q "'nothing'" err.txt
}

@test "standard output that is full is exit 3 and one sentence" {
    [ -w /dev/full ] || skip "no /dev/full"
    for words in --help --version ops faults passes oracles "check good.json" "run good.json" "run --json good.json" "show good.json" \
        "show --as torch good.json" "replay good.json"; do
        status=0
        "$TWINGRAD" $words >/dev/full 2>err.txt || status=$?
        [ "$status" -eq 3 ] || { echo "$words: $status"; return 1; }
        grep -q '^twingrad: cannot write to standard output' err.txt
        [ "$(wc -l <err.txt)" -eq 1 ]
    done
}

@test "standard output that is closed is exit 3" {
    status=0
    "$TWINGRAD" ops >&- 2>err.txt || status=$?
    [ "$status" -eq 3 ]
}

@test "tables as JSON, one object a line" {
    for c in ops faults passes oracles profiles; do
        run "$TWINGRAD" "$c" --json
        [ "$status" -eq 0 ]
        "$TWINGRAD" "$c" --json | python3 -c 'import json, sys; rows = [json.loads(l) for l in sys.stdin]; assert rows and all(isinstance(r, dict) for r in rows)'
    done
}

@test "no color where it is not wanted" {
    run "$TWINGRAD" check good.json
    [[ "$output" != *$'\033'* ]]
    NO_COLOR=1 run "$TWINGRAD" check good.json
    [[ "$output" != *$'\033'* ]]
}

@test "nothing is written to the working directory" {
    mkdir empty && cd empty
    "$TWINGRAD" check ../good.json
    "$TWINGRAD" run ../good.json
    [ -z "$(ls -A)" ]
}

@test "the man page has every command, option and profile" {
    command -v man >/dev/null || skip "no man here"
    page=$(MANWIDTH=10000 man -E ascii -l "$BATS_TEST_DIRNAME/../../docs/man/twingrad.1" 2>/dev/null)
    commands=$("$TWINGRAD" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vE '^(help|version)$')
    [ "$(wc -w <<<"$commands")" -gt 15 ]
    for command in $commands; do
        grep -qw -- "$command" <<<"$page" || { echo "no $command"; return 1; }
        for option in $("$TWINGRAD" "$command" --help | sed -n 's/^  \(--[a-z-]*\) .*/\1/p'); do
            grep -qE -- "$option( |,|\.|\)|$)" <<<"$page" || { echo "no $option"; return 1; }
        done
    done
    for profile in $("$TWINGRAD" profiles --json | python3 -c 'import json, sys; print(*[json.loads(l)["profile"] for l in sys.stdin if "profile" in l])'); do
        grep -qw -- "$profile" <<<"$page" || { echo "no profile $profile"; return 1; }
    done
}

@test "VERSION, debian/changelog and CHANGELOG.md name one version" {
    root=$BATS_TEST_DIRNAME/../..
    version=$(cat "$root/VERSION")
    [ "$(sed -n '1s/^twingrad (\(.*\)).*/\1/p' "$root/debian/changelog")" = "$version" ]
    grep -qF "## [$version]" "$root/CHANGELOG.md"
}

@test "--semantics selects the release whose rules both executors follow" {
    program=$BATS_TEST_DIRNAME/../../corpus/versions/full_slice_of_leaf.json
    for version in 1.13 2.8; do
        "$TWINGRAD" run --semantics "$version" --json "$program" | json 'r[0]["semantics"] == "'$version'" and r[0]["calls"][0]["error"]["code"] == "leaf_view_inplace"'
        "$TWINGRAD" run --on compiled --semantics "$version" --json "$program" | json 'r[0]["calls"][0]["error"]["code"] == "leaf_view_inplace"'
    done
    for words in "--semantics 2.13" "--semantics 2.15" ""; do
        "$TWINGRAD" run $words --json "$program" | json 'r[0]["calls"][0]["error"]["code"] == "leaf_inplace"'
        "$TWINGRAD" run $words --on compiled --json "$program" | json 'r[0]["calls"][0]["error"]["code"] == "leaf_inplace"'
    done
    run "$TWINGRAD" check --semantics 2.14 "$program"
    [ "$status" -eq 2 ]
    [[ "$output" == *"--semantics '2.14' is not a version that is known: 1.13, 2.8, 2.13, 2.15"* ]]
}

@test "a program, a stored result and a generated program carry their semantics" {
    program=$BATS_TEST_DIRNAME/../../corpus/versions/full_slice_of_leaf.json
    sed 's/"twingrad": 1,/"twingrad": 1, "semantics": "2.8",/' "$program" >own.json
    "$TWINGRAD" run --json own.json | json 'r[0]["semantics"] == "2.8"'
    "$TWINGRAD" run --semantics 1.13 --json own.json | json 'r[0]["semantics"] == "1.13"'
    "$TWINGRAD" show --as json own.json | grep -q '"semantics": "2.8"'
    result=$("$TWINGRAD" run --semantics 1.13 --json "$program")
    sed 's/"semantics": "1.13", //' <<<"$result" >old.txt
    for stored in "$result" "$(sed 's/twingrad reference/torch 1.13.1 eager/' old.txt)" "$(cat old.txt)"; do
        printf '{"expect": %s,' "$stored" >expected.json
        sed '1s/{//' "$program" >>expected.json
        run "$TWINGRAD" replay expected.json
        [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    done
    run "$TWINGRAD" replay --semantics 2.15 expected.json
    [ "$status" -eq 1 ]
    sed 's/"2.8"/"2.7"/' own.json >bad.json
    run "$TWINGRAD" check bad.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"semantics: there are no semantics '2.7' (known: 1.13, 2.8, 2.13, 2.15)"* ]]
    "$TWINGRAD" fuzz --fault RG-1 --runs 300 --first --semantics 2.8 --json --every --no-minimize >found.jsonl || [ $? -eq 1 ]
    json 'any(x["type"] == "finding" and x["case"]["semantics"] == "2.8" for x in r)' <found.jsonl
}
