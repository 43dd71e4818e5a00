#!/usr/bin/env bats
# The native tier: agreement with the others, its C file, its compiler, its cache.
load helper

native_setup() {
    command -v cc >/dev/null || skip "no C compiler"
    mkdir -p cache tmp
    export XDG_CACHE_HOME="$PWD/cache" TMPDIR="$PWD/tmp"
}

kept() { find cache -name '*.so' | wc -l; }

@test "compiled:native runs and agrees with both other executors" {
    native_setup
    "$TWINGRAD" run --on compiled --json good.json >tile.json
    "$TWINGRAD" run --on compiled:native --json good.json | sed 's/compiled:native/compiled/' | cmp - tile.json
    run "$TWINGRAD" check --pair reference,compiled:native good.json
    [ "$status" -eq 0 ]
    [ "$output" = 'good.json (good): 2 statements, 1 call: agree' ]
    "$TWINGRAD" check --pair compiled,compiled:native good.json
}

@test "a campaign of the two tiers finds nothing and leaves nothing behind" {
    native_setup
    run "$TWINGRAD" fuzz --pair compiled,compiled:native --runs 150 --seed 5
    [ "$status" -eq 0 ]
    [[ "$output" == *'150 programs'*' 0 findings'* ]]
    [ -z "$(find cache tmp -mindepth 1)" ]
}

@test "a seeded fault is found natively too" {
    native_setup
    run "$TWINGRAD" fuzz --pair reference,compiled:native --fault gapped_view_write_zeroes --runs 200 --first --no-minimize
    [ "$status" -eq 1 ]
}

@test "softmax over long strided lines goes block by block: -inf before and behind, inf, nan" {
    native_setup
    cat >blocks.json <<'EOF'
{"twingrad": 1,
 "inputs": [{"name": "x", "dtype": "float32", "size": [320, 80], "data": {"fill": "uniform", "seed": 7}}],
 "body": [
  {"op": "mul", "self": "x", "other": 20, "out": "y"},
  {"op": "setitem", "self": "y", "index": [[0, 130, 1], [0, 3, 1]], "value": {"float": "-inf"}},
  {"op": "setitem", "self": "y", "index": [[200, 320, 1], [2, 5, 1]], "value": {"float": "-inf"}},
  {"op": "setitem", "self": "y", "index": [[0, 320, 1], 1], "value": {"float": "-inf"}},
  {"op": "setitem", "self": "y", "index": [150, 6], "value": {"float": "inf"}},
  {"op": "setitem", "self": "y", "index": [150, 7], "value": {"float": "nan"}},
  {"op": "softmax", "self": "y", "dim": 0, "out": "s"}],
 "return": ["s"]}
EOF
    "$TWINGRAD" show --as c blocks.json | grep -q 'until\[k\] = top\[k\] = next\[k\];'
    "$TWINGRAD" check --native-cache none --pair reference,compiled:native blocks.json
}

@test "show --as c prints a file that compiles, show --as loops the loop IR" {
    native_setup
    "$TWINGRAD" show --as c good.json >good.c
    grep -q '^static void loop_' good.c
    cc -std=c11 -Wall -Wextra -Werror -O2 -fopenmp-simd -fPIC -shared -o good.so good.c -lm
    "$TWINGRAD" show --as loops good.json | grep -q '^  b0: input 0$'
}

@test "what was compiled is kept in the cache and used again" {
    native_setup
    "$TWINGRAD" run --on compiled:native --json good.json >first.json
    before=$(kept)
    [ "$before" -ge 2 ]
    "$TWINGRAD" run --on compiled:native --json good.json | cmp - first.json
    [ "$(kept)" -eq "$before" ]
    [ -z "$(find cache tmp -name 'part-*')" ]
}

@test "--native-cache names the folder, or none" {
    native_setup
    "$TWINGRAD" run --on compiled:native --native-cache "$PWD/mine/deep" --quiet good.json 2>/dev/null ||
        "$TWINGRAD" run --on compiled:native --native-cache "$PWD/mine/deep" good.json >out.txt
    [ "$(find mine/deep -name '*.so' | wc -l)" -ge 2 ]
    "$TWINGRAD" run --on compiled:native --native-cache none good.json >out.txt
    [ -z "$(find cache tmp -mindepth 1)" ]
}

@test "a folder that others can write to is refused" {
    native_setup
    mkdir -m 777 open
    run "$TWINGRAD" run --on compiled:native --native-cache "$PWD/open" good.json
    [ "$status" -eq 3 ]
    [[ "$output" == "twingrad: compiled:native: '"*"/open' must be a folder that only you can write to" ]]
}

@test "without a compiler that works: one sentence and exit 3" {
    native_setup
    CC="$PWD/nowhere" run "$TWINGRAD" check --pair compiled,compiled:native good.json
    [ "$status" -eq 3 ]
    [[ "$output" == "twingrad: compiled:native needs a C compiler that makes shared objects: '"*"/nowhere' can not be run: No such file or directory" ]]
    CC=false run "$TWINGRAD" run --on compiled:native good.json
    [ "$status" -eq 3 ]
    [[ "$output" == "twingrad: compiled:native needs a C compiler"*"'false' failed:"* ]]
    [ -z "$(find cache tmp -type f)" ]
}

@test "a damaged file of the cache is compiled again" {
    native_setup
    "$TWINGRAD" check --pair reference,compiled:native good.json
    files=$(find cache -name '*.so' | sort)
    [ "$(wc -l <<<"$files")" -ge 2 ]
    for damage in 'truncate -s 4096' 'truncate -s 0' 'cp /dev/null' 'dd if=/dev/zero bs=1 seek=9000 count=8 conv=notrunc status=none of=' 'cp good.json'; do
        for file in $files; do
            case $damage in
            truncate*) $damage "$file" ;;
            dd*) eval "$damage'$file'" ;;
            *) cp "${damage#cp }" "$file" ;;
            esac
        done
        run "$TWINGRAD" check --pair reference,compiled:native good.json
        [ "$status" -eq 0 ] || { echo "$damage: $output"; return 1; }
        [ "$(find cache -name '*.so' | sort)" = "$files" ]
        before=$(md5sum $files)
        "$TWINGRAD" check --pair reference,compiled:native good.json # now from the cache
        [ "$(md5sum $files)" = "$before" ]
    done
}
