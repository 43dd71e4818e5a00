#!/usr/bin/env bats
# trace: what both executors hold after each statement, and where they first differ.
bats_require_minimum_version 1.5.0
load helper

seed=$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json

@test "the statement that loses the flag is marked, with what each executor says of it" {
    run -1 "$TWINGRAD" trace --fault RG-1 "$seed"
    [ "$(grep -c '^> ' <<<"$output")" -eq 1 ]
    [[ "$output" == *'> body[3]: matrix[:, rows, cols] = vec'* ]]
    [[ "$output" == *'compiled'*'a probe of requires_grad says false'* ]]
}

@test "without a fault nothing is marked, and each value tells where its gradient arrives" {
    run -0 "$TWINGRAD" trace "$seed"
    [ "$(grep -c '^> ' <<<"$output")" -eq 0 ]
    [[ "$output" == *'skew       float32 [2, 5, 5]'*'its gradient reaches vec'* ]]
    [[ "$output" == *'t          float32'*'storage of matrix'* ]]
}

@test "a write is shown on every view of what it writes" {
    printf '%s' '{"twingrad":1,"inputs":[{"name":"x","dtype":"float32","size":[4],"data":{"fill":"ones","seed":0}}],"body":[
      {"op":"slice","self":"x","dim":0,"start":1,"end":3,"out":"v"},{"op":"narrow","self":"x","dim":0,"start":3,"length":1,"out":"w"},
      {"op":"mul_","self":"v","other":2,"out":"u"}],"return":["x"]}' >views.json
    run -0 "$TWINGRAD" trace views.json
    tail=${output##*mul_}
    [[ "$tail" == *'x '*'version 1'*'= 1 2 2 1'* && "$tail" == *'v '*'storage of x, version 1'*'= 2 2'* ]]
    [[ "$tail" != *$'\n      w '* ]]
}

@test "a branch that is not taken is said so, and an error ends the trace" {
    printf '%s' '{"twingrad":1,"inputs":[{"name":"x","dtype":"float32","size":[3],"data":{"fill":"ones","seed":0}}],"body":[
      {"if":{"requires_grad":"x"},"then":[{"op":"neg","self":"x","out":"y"}],"else":[{"op":"exp","self":"x","out":"y"}]},
      {"op":"view","self":"x","size":[5],"out":"z"}],"return":["x"]}' >branch.json
    run -0 "$TWINGRAD" trace branch.json
    [[ "$output" == *'then[0]: y = neg(x)'*'not run'*'else[0]: y = exp(x)'*'y '* ]]
    [[ "$output" == *'reference  raises shape'*'compiled   raises shape'* ]]
}

@test "as JSON every step is an object, and the first that differs says so" {
    run -1 "$TWINGRAD" trace --json --fault RG-1 "$seed"
    /usr/bin/python3 -c '
import json, sys
steps = [json.loads(line) for line in sys.stdin]
assert [s["at"] for s in steps if s["first"]] == ["body[3]"]
assert steps[0]["values"]["vec"]["a"]["gradient_reaches"] == ["vec"]
' <<<"$output"
}

@test "every statement that a finding may be blamed on is a step" {
    printf '%s' '{"twingrad":2,"inputs":[{"name":"x","dtype":"float32","size":[3],"requires_grad":true,"data":{"fill":"ones","seed":0}}],
      "functions":[{"name":"twice","params":["g"],"forward":[{"op":"mul","self":"g","other":2,"out":"h"}],"return":["h"]}],
      "body":[{"op":"register_hook","self":"x","function":"twice"},{"op":"mul","self":"x","other":2,"out":"y"},{"probe":"requires_grad","of":"y"},{"graph_break":true},
        {"op":"get_grad","self":"x","out":"g"},{"op":"set_grad","self":"x","grad":null},{"with":"no_grad","body":[{"op":"exp","self":"y","out":"z"}]}],"return":["y"]}' >steps.json
    "$TWINGRAD" trace --json steps.json >steps.jsonl
    json '[s["at"] for s in r] == ["inputs"] + ["body[%s" % s for s in ("0]", "1]", "3]", "4]", "5]", "6].body[0]")]' <steps.jsonl
    json 'all(s["status"] == "held" and s["verdict"] == "agree" for s in r)' <steps.jsonl
    "$TWINGRAD" trace --dot steps.json | grep -q '"y.nmul'
}

@test "--dot draws both histories, and differences in red" {
    run -0 "$TWINGRAD" trace --dot "$seed"
    [[ "$output" == 'digraph trace {'*'cluster_0'*'cluster_1'*'}' ]]
    [[ "$output" != *red* ]]
    [ "$(grep -c 'style=solid' <<<"$output")" -eq 8 ]
    printf '%s' '{"twingrad":1,"inputs":[{"name":"x","dtype":"float32","size":[3],"requires_grad":true,"data":{"fill":"ones","seed":0}}],
      "body":[{"with":"no_grad","body":[{"op":"mul","self":"x","other":2,"out":"y"}]},{"op":"add","self":"x","other":"y","out":"z"}],"return":["z"]}' >no_grad.json
    run -0 "$TWINGRAD" trace --dot no_grad.json
    [ "$(grep -c 'style=solid' <<<"$output")" -eq 2 ]
    [ "$(grep -c 'style=dashed' <<<"$output")" -eq 4 ]
}

@test "trace refuses what check refuses" {
    refused trace nothing.json
    printf '{' >bad.json
    refused trace bad.json
}
