#!/usr/bin/env bats
# Everything that is not a program is refused with one sentence and exit code 2, before anything runs.
load helper

@test "malformed JSON" {
    refused_program '{"twingrad": 1,'
    refused_program '{"twingrad": 1 "body": []}'
    refused_program 'hello'
    refused_program '{"twingrad": 1, "body": [], "return": []} x'
    refused_program '{"twingrad": 01, "body": [], "return": []}'
    refused_program "{'twingrad': 1}"
}

@test "an empty file, and one that is cut short anywhere" {
    refused_program ''
    refused_program '   '
    for n in 1 10 50 100 200 300; do
        refused_program "$(head -c $n good.json)"
    done
}

@test "not an object, or another version" {
    refused_program '[]'
    refused_program '1'
    refused_program 'null'
    refused_program '{"twingrad": 3, "body": [], "return": []}'
    refused_program '{"twingrad": "1", "body": [], "return": []}'
    refused_program '{"body": [], "return": []}'
}

@test "an unknown key, at every level" {
    refused_program '{"twingrad": 1, "body": [], "return": [], "extra": 1}'
    refused_program "$(with_statement '{"op": "neg", "self": "x", "out": "y", "extra": 1}')"
    refused_program "$(sed 's/"size"/"colour": 1, "size"/' good.json)"
    refused_program "$(sed 's/"fill": "dyadic"/"fill": "dyadic", "speed": 1/' good.json)"
}

@test "an x- key is kept" {
    sed 's/"twingrad": 1/"twingrad": 1, "x-note": [1, {"a": null}]/' good.json >x.json
    run "$TWINGRAD" show --as json x.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'"x-note"'* ]]
}

@test "a duplicate key, at every level" {
    refused_program '{"twingrad": 1, "twingrad": 1, "body": [], "return": []}'
    refused_program "$(with_statement '{"op": "neg", "op": "neg", "self": "x", "out": "y"}')"
    refused_program "$(sed 's/"seed": 1/"seed": 1, "seed": 1/' good.json)"
}

@test "a missing key" {
    refused_program '{"twingrad": 1, "return": []}'
    refused_program '{"twingrad": 1, "body": []}'
    refused_program "$(with_statement '{"op": "mul", "self": "x", "out": "y"}')"
}

@test "a wrong type" {
    refused_program '{"twingrad": 1, "body": {}, "return": []}'
    refused_program '{"twingrad": 1, "body": [], "return": "x"}'
    refused_program '{"twingrad": 1, "body": [1], "return": []}'
    refused_program "$(with_statement '{"op": "transpose", "self": "x", "dim0": "a", "dim1": 0, "out": "y"}')"
    refused_program "$(with_statement '{"op": "transpose", "self": "x", "dim0": 0.5, "dim1": 0, "out": "y"}')"
    refused_program "$(with_statement '{"op": "neg", "self": 3, "out": "y"}')"
    refused_program "$(sed 's/"float32"/"float31"/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": 3/' good.json)"
    refused_program "$(sed 's/"name": "x"/"name": "1x"/' good.json)"
    refused_program "$(sed 's/"dyadic"/"random"/' good.json)"
}

@test "an unknown op or overload" {
    refused_program "$(with_statement '{"op": "no_such_op", "self": "x", "out": "y"}')"
    grep -q 'no_such_op' err.txt
    refused_program "$(with_statement '{"op": "_index_put", "self": "x", "out": "y"}')"
}

@test "sizes that overflow or pass the limit" {
    refused_program "$(sed 's/"size": \[3\]/"size": [9223372036854775807, 9223372036854775807]/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": [4294967296, 4294967296]/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": [100000000]/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": [3], "stride": [4611686018427387904]/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": [3], "storage_offset": 9223372036854775807/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": [-1]/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": [1e300]/' good.json)"
    refused_program "$(sed 's/"size": \[3\]/"size": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]/' good.json)"
    refused_program "$(sed 's/"seed": 1/"seed": 1e30/' good.json)"
    refused_program "$(sed 's/"seed": 1/"seed": -1/' good.json)"
}

@test "a size that passes the limit inside the program is a result, and a skip" {
    with_statement '{"op": "zeros", "size": [1000000, 1000000], "out": "y"}' >limit.json
    run "$TWINGRAD" run --json limit.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'"limit"'* ]]
    run "$TWINGRAD" check limit.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'skip (limit)'* ]]
}

@test "a million nested arrays" {
    head -c 1000000 /dev/zero | tr '\0' '[' >deep.json
    refused check deep.json
    { head -c 1000000 /dev/zero | tr '\0' '['; head -c 1000000 /dev/zero | tr '\0' ']'; } >deep.json
    refused check deep.json
    { printf '{"twingrad":1,"return":[],"body":'; head -c 1000000 /dev/zero | tr '\0' '['; } >deep.json
    refused check deep.json
    { printf '{"twingrad":1,"return":[],"body":['; for _ in $(seq 70); do printf '{"with":"no_grad","body":['; done
      for _ in $(seq 70); do printf ']}'; done; printf ']}'; } >deep.json
    refused check deep.json
}

@test "NaN, Infinity and other things that are no JSON numbers" {
    refused_program "$(sed 's/"other": 2/"other": NaN/' good.json)"
    refused_program "$(sed 's/"other": 2/"other": Infinity/' good.json)"
    refused_program "$(sed 's/"other": 2/"other": 1e999/' good.json)"
    refused_program "$(sed 's/"other": 2/"other": 0x10/' good.json)"
    refused_program "$(sed 's/"other": 2/"other": 1./' good.json)"
    refused_program "$(sed 's/"other": 2/"other": {"float": "huge"}/' good.json)"
}

@test "data of another length or dtype" {
    refused_program "$(sed 's/{"fill": "dyadic", "seed": 1}/[1, 2]/' good.json)"
    refused_program "$(sed 's/{"fill": "dyadic", "seed": 1}/[1, 2, 3, 4]/' good.json)"
    refused_program "$(sed 's/{"fill": "dyadic", "seed": 1}/[1, 2, true]/' good.json)"
    refused_program "$(sed 's/{"fill": "dyadic", "seed": 1}/[1, 2, null]/' good.json)"
    refused_program "$(sed 's/"float32"/"int64"/' good.json)" # requires_grad of integers
}

@test "invalid UTF-8, NUL and control characters" {
    refused_program "$(printf '{"twingrad": 1, "name": "\xff\xfe", "body": [], "return": []}')"
    printf '{"twingrad": 1, "body": [], "return": []}\0' >nul.json
    refused check nul.json
    refused_program "$(printf '{"twingrad": 1, "name": "a\x01b", "body": [], "return": []}')"
    printf '\xef\xbb\xbf{"twingrad": 1, "body": [], "return": []}' >bom.json
    refused check bom.json
}

@test "a message shows no control characters of the input" {
    printf '{"twingrad": 1, "body": [], "return": [], "\\u001b[31mred": 1}' >esc.json
    refused check esc.json
    ! grep -q "$(printf '\033')" err.txt
}

@test "C1 control characters reach neither a terminal nor JSON" {
    # U+009B begins a command of a terminal as ESC [ does; here as UTF-8 in a name, in a file's name, and as a bare byte
    c1=$(printf '\xc2\x9b31m')
    sed "s/\"name\": \"good\"/\"name\": \"a${c1}b \xc3\xa9\"/" good.json >"c$c1.json"
    "$TWINGRAD" check "c$c1.json" >out.txt
    "$TWINGRAD" show --as json "c$c1.json" >>out.txt
    "$TWINGRAD" check "gone$c1.json" 2>>out.txt || true
    "$TWINGRAD" check "$(printf 'gone\x9b.json')" 2>>out.txt || true
    "$TWINGRAD" "no$c1" 2>>out.txt || true
    [ "$(grep -c . out.txt)" -gt 8 ]
    ! LC_ALL=C grep -q "$(printf '\x9b')" out.txt
    grep -q "$(printf 'b \xc3\xa9')" out.txt # other characters stay
    grep -q '\\u009b31m' out.txt
}

@test "a directory as a file, and a file that is not there" {
    mkdir dir
    refused check dir
    refused run dir
    refused check missing.json
    grep -q 'No such file' err.txt
    refused check good.json/x.json
    run "$TWINGRAD" replay missing
    [ "$status" -eq 2 ]
    [[ "$output" == *'1 bad'* ]]
}

@test "a file that cannot be read" {
    [ "$(id -u)" -ne 0 ] || skip "root reads everything"
    chmod 000 good.json
    refused check good.json
}

@test "a file above 16 MB" {
    head -c 17000000 /dev/zero | tr '\0' ' ' >big.json
    refused check big.json
    grep -q 'limit' err.txt
    refused check /dev/zero
}

@test "a bad file does not stop the others, and the worst code is the answer" {
    echo '{' >bad.json
    run "$TWINGRAD" check good.json bad.json missing.json good.json
    [ "$status" -eq 2 ]
    [ "$(grep -c 'good.json (good): 2 statements, 1 call: agree' <<<"$output")" -eq 2 ]
    [ "$(grep -c '^twingrad: ' <<<"$output")" -eq 2 ]
}

@test "a bad line of a .jsonl is named by its number" {
    { tr -d '\n' <good.json; echo; echo '{'; echo; tr -d '\n' <good.json; echo; } >many.jsonl
    run "$TWINGRAD" check many.jsonl
    [ "$status" -eq 2 ]
    [[ "$output" == *'many.jsonl:2: '* ]]
    [ "$(grep -c agree <<<"$output")" -eq 2 ]
}

@test "an unbound name, a wrong count of out names: results, not bad input" {
    with_statement '{"op": "neg", "self": "nobody", "out": "y"}' >unbound.json
    run "$TWINGRAD" check unbound.json
    [ "$status" -eq 0 ]
    with_statement '{"op": "unbind", "self": "x", "out": ["a", "b"]}' >count.json
    run "$TWINGRAD" run --json count.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'"invalid"'* ]]
}
