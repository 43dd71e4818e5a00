#!/usr/bin/env bats
# Completion of the command line in bash and zsh, and what `make install` and `make uninstall` write and remove.
load helper

root=$BATS_TEST_DIRNAME/../..

# complete_bash WORDS: what bash offers for this line, which begins behind the program's name; one word a line.
complete_bash() {
    # shellcheck source=/dev/null
    bash --norc -c 'source "$1" && COMP_LINE="$2 $3" && COMP_POINT=${#COMP_LINE} && { _twingrad || :; } && printf "%s\n" "${COMPREPLY[@]}"' \
        - "$root/completions/twingrad.bash" "$TWINGRAD" "$1"
}

# offers LINE WORD...: exactly these, in any order.
offers() {
    local line=$1
    shift
    diff <(complete_bash "$line" | sort) <(printf '%s\n' "$@" | sort) || { echo "for: $line"; return 1; }
}

@test "bash completes commands" {
    offers "ch" check
    offers "help fu" fuzz
    offers "--v" --version
    for command in $("$TWINGRAD" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        complete_bash "" | grep -qx -- "$command"
    done
    [ "$(complete_bash "" | wc -l)" -gt 15 ]
}

@test "bash completes the options of the command, and no others" {
    offers "check --f" --fault
    offers "ops --" --json --help
    offers "nothing --" ""
    for command in $("$TWINGRAD" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vE '^(help|version)$'); do
        diff <(complete_bash "$command --" | sort) <("$TWINGRAD" "$command" --help | sed -n 's/^  \(--[a-z-]*\) .*/\1/p' | sort)
    done
}

@test "bash completes the values of options" {
    offers "check --fault MU-5" MU-5 MU-5a MU-5b
    offers "check --fault=MU-5" MU-5 MU-5a MU-5b
    offers "check --pair ref" reference,
    offers "check --pair reference,comp" reference,compiled reference,compiled:native
    offers "run --on ref" reference
    offers "show --as t" text torch
    offers "convert --as " bytes json
    offers "fuzz --engine " afl builtin libfuzzer
    offers "fuzz --profile al" aliasing
    offers "fuzz --profile plain,al" plain,aliasing
    offers "fuzz --ops plain,softm" plain,softmax
    offers "fuzz --seed " ""
    offers "fuzz --no-oracle values,fl" values,flags
    offers "power --faults RG-1,MU-5" RG-1,MU-5 RG-1,MU-5a RG-1,MU-5b
    offers "hunt --modes aot,fa" aot,fake
    offers "gate --modes dynamo_" dynamo_dynamic dynamo_fullgraph dynamo_cuda
    offers "hunt --on " torch torch1.13 torch2.8 torch2.13 torch2.15
    offers "upstream --on torch,torch1" torch,torch1.13
    complete_bash "fuzz --disable " | grep -qx cse
    ! complete_bash "fuzz --disable " | grep -qx functionalize
}

@test "bash completes words with a colon: only what follows it is replaced" {
    offers "run --on compiled:" native
    offers "check --pair reference,compiled:n" native
}

@test "every mode of the targets in targets.json is offered" {
    for executor in $(python3 -c '
import json, sys
for name, target in json.load(open(sys.argv[1]))["targets"].items():
    print(*(name.replace("*", "2.15") + ":" + mode for mode in target.get("modes", [])))' "$root/targets/targets.json"); do
        complete_bash "run --on ${executor%%:*}:" | grep -qx "${executor#*:}" || { echo "no $executor in bash"; return 1; }
        [[ ${executor#*:} == eager* ]] || complete_bash "hunt --modes " | grep -qx "${executor#*:}" || { echo "no mode of $executor in bash"; return 1; }
    done
    diff <(grep -o 'fake aot {[^)]*cuda}' "$root/completions/_twingrad") <(grep -o 'fake aot {[^)]*cuda}' "$root/completions/twingrad.bash")
    diff <(grep -o 'torch{.*}' "$root/completions/_twingrad") <(grep -o 'torch{.*}' "$root/completions/twingrad.bash")
}

# zsh_offers LINE WORD...: an interactive zsh lists these words (a slow machine may need more than the first second).
zsh_offers() {
    local line=$1 wait word missing
    shift
    for wait in 1 4 16; do
        missing=""
        zsh -f "$root/tests/support/zsh_complete.zsh" "$root/completions" "$TWINGRAD $line" "$wait" | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[A-Za-z]/ /g' >list
        for word in "$@"; do
            grep -qE -- "(^| )$word( |$)" list || missing="$missing $word"
        done
        [ -n "$missing" ] || return 0
    done
    echo "for: $line: no$missing"
    cat list
    return 1
}

@test "zsh parses its completion" {
    command -v zsh >/dev/null || skip "no zsh here"
    zsh -n "$root/completions/_twingrad"
}

@test "zsh completes commands, options and values" {
    command -v zsh >/dev/null || skip "no zsh here"
    zsh_offers "ch" check
    zsh_offers "check --no" --no-poke --no-probes
    zsh_offers "check --fault RG-1" RG-1a RG-1b
    zsh_offers "check --pair reference,comp" compiled compiled:native
    zsh_offers "convert --as " bytes json
    zsh_offers "fuzz --profile plain,al" aliasing
    zsh_offers "fuzz --no-oracle values,fl" flags
    zsh_offers "hunt --modes aot,fa" fake
    zsh_offers "hunt --on torch2" torch2.8 torch2.15
    mkdir folder
    zsh_offers "fuzz --out " folder/
}

# Files of a variant of our own would be built for `make install`; the program in the tree must be there and new instead.
@test "install writes what uninstall removes, and the installed program finds its files" {
    [ -x "$root/twingrad" ] || skip "no ./twingrad here"
    install() { make -C "$root" --no-print-directory -o twingrad DESTDIR="$PWD/image" PREFIX=/usr "$@"; }
    mkdir -p image/usr/share/man/man1 && touch image/usr/share/man/man1/other.1
    find image | sort >before
    install install
    for file in bin/twingrad share/man/man1/twingrad.1 share/twingrad/targets/targets.json share/twingrad/targets/torch_target.py share/twingrad/schema.json \
        share/twingrad/corpus/seeds/skew_symmetric.json share/bash-completion/completions/twingrad share/zsh/site-functions/_twingrad; do
        [ -s "image/usr/$file" ] || { echo "no $file"; return 1; }
    done
    for file in "$root"/targets/*.py; do # they import each other
        [ -s "image/usr/share/twingrad/targets/${file##*/}" ] || { echo "$file is not installed"; return 1; }
    done
    image/usr/bin/twingrad check image/usr/share/twingrad/corpus/seeds/skew_symmetric.json
    refused_by_installed=$(image/usr/bin/twingrad check --pair reference,nobody:eager image/usr/share/twingrad/corpus/seeds/skew_symmetric.json 2>&1) || true
    [[ "$refused_by_installed" == *"share/twingrad/targets/targets.json"* ]] || { echo "$refused_by_installed"; return 1; }
    install uninstall
    find image -type f | diff - <(echo image/usr/share/man/man1/other.1)
    [ ! -e image/usr/share/twingrad ]
}
