#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
# Results of runs: results.json, and what is made of it for people, CI systems and code scanning. Each is held to a validator.
load helper

schemas=$BATS_TEST_DIRNAME/../schemas

# Three forms of the run at once, and the validators' word on each.
forms() { printf '%s ' --html page.html --junit out.xml --sarif out.sarif --markdown summary.md; }
valid_forms() {
    xmllint --noout page.html
    [ -z "$(tidy -e -q page.html 2>&1)" ] || { tidy -e -q page.html; return 1; }
    xmllint --noout --schema "$schemas/junit.xsd" out.xml
    /usr/bin/python3 -c 'import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' "$schemas/sarif.schema.json" out.sarif
}

@test "a campaign with findings is printed in forms that validators accept, and each names every signature" {
    run -1 "$TWINGRAD" fuzz --fault RG-1 --runs 1500 --out found $(forms)
    valid_forms
    signatures=$(ls -d found/*/ | xargs -n1 basename)
    [ -n "$signatures" ]
    for s in $signatures; do
        for file in page.html out.xml out.sarif found/results.json found/report.html; do
            grep -qF "$s" "$file" || { echo "$file does not name $s"; false; }
        done
        grep -qF "${s//_/\\_}" summary.md
    done
    grep -q 'failures="[1-9]' out.xml
}

@test "a campaign without a finding is printed as one, with what was exercised and how it grew" {
    "$TWINGRAD" fuzz --runs 1500 --out clean $(forms)
    valid_forms
    grep -q 'no new finding' page.html
    grep -q 'no new finding' summary.md
    grep -q 'failures="0"' out.xml
    cmp page.html clean/report.html
    /usr/bin/python3 - clean/results.json <<'END'
import json, sys
summary = json.load(open(sys.argv[1]))["summary"]
growth = summary["growth"]
assert growth[-1]["programs"] == 1500 and 2 < len(growth) <= 256
for key in ("rules", "ops", "op_dtypes", "errors", "signatures"):
    assert all(a[key] <= b[key] for a, b in zip(growth, growth[1:])), key
assert growth[-1]["op_dtypes"] == sum(len(d) for d in summary["op_dtypes"].values())
assert "seconds" not in growth[-1]
assert summary["op_dtypes"]["setitem"], "an op without a result counts by what it writes"
END
}

@test "the same campaign makes the same report, byte for byte" {
    "$TWINGRAD" fuzz --runs 700 --seed 5 --out one
    "$TWINGRAD" fuzz --runs 700 --seed 5 --out two
    cmp one/results.json two/results.json
    cmp one/report.html two/report.html
}

@test "report prints a results.json again as it was printed before" {
    run -1 "$TWINGRAD" fuzz --fault GR-1 --runs 1500 --out found $(forms)
    for form in html junit sarif; do
        "$TWINGRAD" report found/results.json --$form again.$form
    done
    cmp again.html page.html
    cmp again.junit out.xml
    cmp again.sarif out.sarif
}

@test "replay writes a test case for each stored program, and the finding's for one that differs" {
    cp good.json with.json
    "$TWINGRAD" replay good.json with.json $(forms)
    valid_forms
    [ "$(grep -c '<testcase' out.xml)" -eq 2 ]
    run -1 "$TWINGRAD" replay --fault RG-1 "$BATS_TEST_DIRNAME/../../corpus/seeds/skew_symmetric.json" good.json --results results.json $(forms)
    valid_forms
    [ "$(grep -c '<testcase' out.xml)" -eq 2 ]
    grep -q 'tests="2" failures="1"' out.xml
    grep -q 'trace-requires_grad-setitem' out.sarif
    [ "$(grep -c '^## twingrad replay' summary.md)" -eq 2 ]
}

@test "the regressions are replayed without a finding, into forms that validators accept" {
    corpus=$BATS_TEST_DIRNAME/../../corpus
    "$TWINGRAD" replay --verify "$corpus/regressions" $(forms)
    valid_forms
    [ "$(grep -c '<testcase' out.xml)" -eq "$(ls "$corpus/regressions" | wc -l)" ]
    grep -q 'failures="0"' out.xml
}

@test "text out of programs is escaped in every form" {
    sed 's/"name": "good"/"name": "<b>\&amp; \\u0001 | ` ]]>"/' good.json >odd.json
    "$TWINGRAD" replay odd.json $(forms)
    valid_forms
    ! grep -q '<b>&amp;' page.html
}

@test "report refuses what is no results, and says what is wrong with it" {
    refused report
    refused report good.json
    refused report good.json --html page.html
    grep -q 'results' err.txt
    refused report nothing.json --html page.html
    printf '{"type":"results","schema_version":2}' >new.json
    refused report new.json --html page.html
    grep -q 'schema_version' err.txt
    printf '{"type":"results","schema_version":1,"findings":[7]}' >odd.json
    refused report odd.json --junit out.xml
    printf '{"type":"results","schema_version":1}' >bare.json
    "$TWINGRAD" report bare.json $(forms)
    run -3 "$TWINGRAD" report bare.json --html /nowhere/page.html
    run -3 "$TWINGRAD" report bare.json --markdown /nowhere/summary.md
}

@test "what cannot be written is said before the work, not after it" {
    : >file
    mkdir folder
    for options in "--out file" "--out file/x" "--html folder" "--junit nowhere/x.xml" "--results file/x" "--markdown nowhere/x.md"; do
        for command in "fuzz --seconds 600" "fuzz --engine builtin --seconds 600" "replay good.json"; do
            [[ $command == replay* && $options == --out* ]] && continue
            run --separate-stderr timeout 60 "$TWINGRAD" $command $options
            echo "$command $options: $status: $stderr"
            [ "$status" -eq 3 ]
            [[ $stderr == "twingrad: cannot "* && $(wc -l <<<"$stderr") -eq 1 && -z $output ]]
        done
    done
}

@test "results go into pipes, and where links lead" {
    "$TWINGRAD" replay --quiet good.json --junit /dev/stdout | grep -q '<testsuites'
    echo old >real.xml
    ln -s real.xml link.xml
    "$TWINGRAD" replay --quiet good.json --junit link.xml
    [ -L link.xml ]
    grep -q '<testsuites' real.xml
    [ -c /dev/null ]
    "$TWINGRAD" replay --quiet good.json --junit /dev/null
    [ -c /dev/null ]
}

@test "a page names the compiler that built twingrad" {
    "$TWINGRAD" replay --quiet good.json --html page.html --results results.json
    compiler=$("$TWINGRAD" version | sed -n 's/^compiler: //p')
    [[ $compiler =~ ^(gcc|clang)\ .*[0-9] ]]
    sed 's/<[^>]*>//g' page.html | grep -qF ", $compiler"
    grep -qF "\"compiler\":\"$compiler\"" results.json
}

@test "the shards of a run, merged, are the run: counts, signatures, groups and findings" {
    options=(--fault RG-1 --fault NU-12 --runs 1200 --quiet)
    run -1 "$TWINGRAD" fuzz "${options[@]}" --out all
    for k in 1 2 3 4; do
        "$TWINGRAD" fuzz "${options[@]}" --shard $k/4 --out shard-$k || [ $? -eq 1 ]
    done
    grep -q '"shard":"2/4"' shard-2/results.json
    "$TWINGRAD" report --merge shard-*/results.json --results merged.json $(forms)
    valid_forms
    "$TWINGRAD" report --merge shard-*/results.json >printed.json
    cmp merged.json printed.json
    /usr/bin/python3 - <<'END'
import json
whole, merged = (json.load(open(name)) for name in ("all/results.json", "merged.json"))
assert len(whole["summary"]["groups"]) == 2 and "shard" not in merged and merged["seed"] == whole["seed"]
# The counts of the compiler include what minimizing ran.
for key in whole["summary"].keys() - {"rules", "passes", "growth", "compiles", "cache_hits", "shadow_runs", "op_dtypes"}:
    assert merged["summary"][key] == whole["summary"][key], key
assert [(f["signature"], f["count"], f["first"], f["statements"]) for f in merged["findings"]] == \
       [(f["signature"], f["count"], f["first"], f["statements"]) for f in whole["findings"]]
END
    "$TWINGRAD" report --compare all/results.json merged.json | tee compared
    [ "$(grep -c '^persistent ' compared)" -eq 2 ]
}

@test "a shard compiles a program as the whole run does: each 64th of the stream is verified" {
    run -0 "$TWINGRAD" fuzz --fault FU-14 --no-minimize --quiet --runs 256
    run -0 "$TWINGRAD" fuzz --fault FU-14 --no-minimize --quiet --runs 256 --shard 200/256
}

@test "merged counts of signatures are those of the run, also where two causes have one" {
    faults=()
    for fault in RG-2 RG-13 RG-5 MU-5 MU-7 NU-1 NU-2; do faults+=(--fault $fault); done
    run -1 "$TWINGRAD" fuzz "${faults[@]}" --runs 4000 --no-minimize --quiet --results one.json
    "$TWINGRAD" report --merge one.json >merged.json
    /usr/bin/python3 - <<'END'
import json
one, merged = (json.load(open(name))["summary"] for name in ("one.json", "merged.json"))
names = [s["signature"] for s in one["signatures"]]
assert len(set(names)) < len(names)
assert sum(s["count"] for s in merged["signatures"]) == sum(s["count"] for s in one["signatures"]) == one["findings"]
END
}

@test "report --compare names the groups that are new and gone, and fails on a new one" {
    run -1 "$TWINGRAD" fuzz --fault RG-1 --runs 600 --quiet --results old.json
    run -1 "$TWINGRAD" fuzz --fault NU-12 --runs 600 --quiet --results new.json
    run -1 "$TWINGRAD" report --compare old.json new.json
    grep -qE '^new +cse +0 -> [1-9]' <<<"$output"
    grep -qE '^gone +capture/flags +[1-9][0-9]* -> 0 ' <<<"$output"
    run -1 "$TWINGRAD" report --compare --json old.json new.json
    json '[x["change"] for x in r] == ["new", "gone"] and r[0]["before"] == 0 < r[0]["after"]' <<<"$output"
    run -0 "$TWINGRAD" report --compare old.json old.json
}

@test "runs of several modes of a target are merged, those of two targets are not" {
    run -0 "$TWINGRAD" fuzz --runs 10 --quiet --results one.json
    for mode in dynamo aot_eager; do sed "s/reference,compiled/torch:eager,torch:$mode/" one.json >$mode.json; done
    run -0 "$TWINGRAD" report --merge dynamo.json aot_eager.json
    json 'r[0]["pair"] == "torch:eager,torch:*" and r[0]["summary"]["programs"] == 20' <<<"$output"
    sed "s/reference,compiled/torch:eager_cuda,torch:dynamo_cuda/" one.json >cuda.json
    run -0 "$TWINGRAD" report --merge dynamo.json cuda.json aot_eager.json
    json 'r[0]["pair"] == "torch:eager*,torch:*" and r[0]["summary"]["programs"] == 30' <<<"$output"
    sed "s/reference,compiled/torch:eager,torch2.8:dynamo/" one.json >other.json
    refused report --merge dynamo.json other.json
    grep -q "other.json: a run with another pair than that of dynamo.json ('torch:eager,torch2.8:dynamo', not 'torch:eager,torch:dynamo')" err.txt
    refused report --merge dynamo.json one.json
    refused report --merge dynamo.json dynamo.json
    grep -q 'the same share of the same stream' err.txt
}

@test "results that do not belong together are not merged" {
    run -1 "$TWINGRAD" fuzz --fault RG-1 --runs 300 --quiet --results one.json --shard 1/2
    "$TWINGRAD" fuzz --runs 10 --quiet --results two.json --shard 2/2
    refused report --merge one.json two.json
    grep -q 'two.json: a run with another fault' err.txt
    refused report --merge one.json one.json
    grep -q 'the same share of the same stream' err.txt
    refused report --merge one.json good.json
    refused report --merge
    refused report --compare one.json
    refused report --merge --compare one.json two.json
    refused report --compare one.json two.json --html page.html
    refused report one.json --results again.json
    for bad in 0/4 5/4 1 1/ /4 a/b -1/4 1/0 1/1048577; do refused fuzz --shard "$bad" --runs 1; done
}

@test "shards of one stream that have programs in common are not merged, whatever their numbers" {
    share() { "$TWINGRAD" fuzz --runs 20 --quiet --shard $1 --results ${1/\//-}.json; }
    for shard in 1/2 2/2 1/4 3/4 2/3; do share $shard; done
    refused report --merge 1-2.json 1-4.json
    grep -q '1-4.json: programs of the same stream that are in 1-2.json, too (shards 1/4 and 1/2)' err.txt
    refused report --merge 3-4.json 1-2.json
    refused report --merge 1-2.json 2-2.json 1-4.json
    refused report --merge 1-2.json 2-3.json
    run -0 "$TWINGRAD" report --merge 2-2.json 1-4.json 3-4.json
    json 'r[0]["summary"]["programs"] == 20' <<<"$output"
    # a shard of a campaign with two jobs is two shards of twice as many
    "$TWINGRAD" fuzz --jobs 2 --runs 40 --quiet --shard 1/2 --out jobs
    refused report --merge jobs/results.json 1-4.json
    refused report --merge jobs/results.json 1-2.json
    run -0 "$TWINGRAD" report --merge jobs/results.json 3-4.json
}

@test "merged runs of different versions name them all" {
    "$TWINGRAD" fuzz --runs 10 --quiet --shard 1/2 --results one.json
    "$TWINGRAD" fuzz --runs 10 --quiet --shard 2/2 --results two.json
    sed -i 's/"twingrad":"[^"]*"/"twingrad":"0.1.0"/' one.json
    sed -i 's/"twingrad":"[^"]*"/"twingrad":"0.2.0"/; s/"compiler":"[^"]*"/"compiler":"tcc"/' two.json
    "$TWINGRAD" report --merge one.json two.json --results merged.json $(forms)
    valid_forms
    json 'r[0]["twingrad"] == "0.1.0, 0.2.0" and r[0]["compiler"].endswith(", tcc")' <merged.json
    sed 's/<[^>]*>//g' page.html | grep -q '0.1.0, 0.2.0'
    grep -q '"version":"0.1.0, 0.2.0"' out.sarif
    "$TWINGRAD" report --merge one.json --sarif again.sarif
    grep -q '"semanticVersion":"0.1.0"' again.sarif
}

@test "report --compare fails on new groups only that are not known, and compares one pair" {
    "$TWINGRAD" fuzz --runs 600 --quiet --results old.json
    run -1 "$TWINGRAD" fuzz --fault RG-1 --runs 600 --quiet --results new.json
    for word in known allowed; do
        sed "/\"groups\"/s/\"standing\":\"new\"/\"standing\":\"$word\"/g" new.json >explained.json
        run -0 "$TWINGRAD" report --compare old.json explained.json
        grep -qE "^new .* findings, $word\$" <<<"$output"
        grep -q '^0 of 1 groups new' <<<"$output"
        run -0 "$TWINGRAD" report --compare --json old.json explained.json
        grep -q "\"standing\":\"$word\"" <<<"$output"
    done
    sed 's/"pair":"reference,compiled"/"pair":"torch:eager,torch:inductor"/' new.json >torch.json
    refused report --compare old.json torch.json
    grep -q "torch.json: a run with another pair than that of old.json ('torch:eager,torch:inductor', not 'reference,compiled')" err.txt
    # releases and modes of a target may differ
    sed 's/"pair":"reference,compiled"/"pair":"torch2.8:eager,torch2.8:dynamo"/' new.json >older.json
    run -0 "$TWINGRAD" report --compare older.json torch.json
}

@test "a crash is an error in JUnit, and one that is known is skipped" {
    run -1 "$TWINGRAD" fuzz --fault RG-1 --runs 600 --quiet --results new.json
    for kind in crash crash_signal_6 timeout; do
        sed "s/\"kind\":\"[a-z_]*\"/\"kind\":\"$kind\"/" new.json >crash.json
        "$TWINGRAD" report crash.json --junit out.xml
        grep -q 'failures="0" errors="1" skipped="0"' out.xml
        sed 's/"outcome":"new"/"outcome":"known"/' crash.json >known.json
        "$TWINGRAD" report known.json --junit out.xml
        grep -q 'failures="0" errors="0" skipped="1"' out.xml
    done
}

@test "the two characters beyond ASCII that XML forbids are replaced" {
    sed 's/"name": "good"/"name": "<\\uFFFE\\uFFFF\\uFFFD\\uFF5E>"/' good.json >odd.json
    "$TWINGRAD" replay odd.json $(forms)
    valid_forms
    grep -qF '&lt;���～&gt;' out.xml
}

@test "a bad file and a known issue that no longer shows are in every form of a replay" {
    echo '{' >bad.json
    printf '{"known":[{"signature":"*","program":"good.json","issue":"https://example.org/1","date":"2026-01-01","note":"n"}]}' >known.json
    run -2 "$TWINGRAD" replay --known known.json good.json bad.json --results results.json $(forms)
    valid_forms
    grep -q '^## twingrad replay, .*: no new finding, 1 bad file, 1 fixed$' summary.md
    grep -qF '| bad | bad.json | not a program |' summary.md
    grep -qF '| fixed | good.json | https://example.org/1 |' summary.md
    grep -q '<header class="bad">' page.html
    grep -q 'no new finding, 1 bad file</b>' page.html
    grep -q '1 program is fixed: the known issue no longer shows.' page.html
    run -0 "$TWINGRAD" replay --known known.json good.json $(forms)
    valid_forms
    ! grep -q 'bad file\|class="bad"' page.html
}

@test "a seed of 64 bits is printed to its last digit" {
    "$TWINGRAD" fuzz --runs 5 --quiet --seed 18446744073709551615 --results results.json $(forms)
    valid_forms
    sed 's/<[^>]*>//g' page.html | grep -q 'seed18446744073709551615programs'
}

@test "files in SARIF are relative to the current directory, of searches and of campaigns" {
    for engine in "" "--engine builtin"; do
        for out in out ./out/ "$PWD/out"; do
            run -1 "$TWINGRAD" fuzz $engine --fault RG-1 --runs 600 --quiet --out "$out" --sarif out.sarif
            [ "$(grep -o '"uri":"[^"]*"' out.sarif)" = '"uri":"out/trace-requires_grad-setitem/minimized.json"' ]
            rm -r out
        done
    done
    # also where the campaign began in another folder
    run -1 "$TWINGRAD" fuzz --engine builtin --fault RG-1 --runs 600 --quiet --out out
    mkdir -p elsewhere
    mv out elsewhere/out
    rm elsewhere/out/campaign/ended
    cd elsewhere
    run -1 "$TWINGRAD" fuzz --resume --quiet --out out --sarif out.sarif
    [ "$(grep -o '"uri":"[^"]*"' out.sarif)" = '"uri":"out/trace-requires_grad-setitem/minimized.json"' ]
    [ -s out/trace-requires_grad-setitem/minimized.json ]
}
