"""Runs exported scripts against recorded results: export.py FILE.jsonl... (see export)."""
import json
import linecache
import os
import random
import subprocess
import sys

import torch

TWINGRAD = os.environ["TWINGRAD"]
HEADER = "#!/usr/bin/env python3\n"


def paths(block, prefix):
    for i, statement in enumerate(block):
        path = "%s[%d]" % (prefix, i)
        if "op" in statement:
            yield path
        for key in ("body", "then", "else"):
            yield from paths(statement.get(key, []), path + "." + key)


def draw_shell(program, rng):
    roles = {i["name"]: rng.choice("arg closure global attr buffer parameter constant".split()) for i in program.get("inputs", []) if rng.random() < 0.6}
    spelling = {p: rng.choice("method function operator kwargs torch_ops".split()) for p in paths(program["body"], "body") if rng.random() < 0.8}
    shell = {"wrap": rng.choice(["function", "method", "module"]), "instances": rng.randrange(1, 3)}
    if roles:
        shell["roles"] = roles
    if spelling:
        shell["spelling"] = spelling
    count = len(program["body"])
    if count > 2 and rng.random() < 0.5:
        first = rng.randrange(count - 1)
        shell["outline"] = [[first, rng.randrange(first, count)]]
    return dict(program, shell=shell)


def export(programs):
    """The scripts of `programs`; None for one that is not expressible."""
    out = []
    for start in range(0, len(programs), 64):
        part = programs[start:start + 64]
        lines = "".join(json.dumps(p) + "\n" for p in part)
        replies = run(lines)
        if len(replies) != len(part):  # some are not expressible: export one at a time
            replies = [(run(json.dumps(p) + "\n") or [None])[0] for p in part]
        out += replies
    return out


def run(lines):
    with open(os.environ["SCRATCH"], "w") as f:
        f.write(lines)
    done = subprocess.run([TWINGRAD, "show", "--as", "torch", os.environ["SCRATCH"]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [HEADER + text for text in done.stdout.split(HEADER)[1:]]


def tensor(values, dtype, size):
    return torch.tensor([float(v) if isinstance(v, str) else v for v in values], dtype=dtype).reshape(size)


def close(a, b):
    return torch.allclose(a.double(), b.double(), rtol=1e-4, atol=1e-5, equal_nan=True)


def differences(call, recorded):
    if recorded["status"] == "error":
        at = recorded["error"]["at"]
        if not call["error"] or (at is not None and " at %s:" % at not in call["error"]):
            yield "error: %s, recorded %s" % (call["error"], recorded["error"])
        return
    if call["error"]:
        yield "error: %s, recorded none" % call["error"]
        return
    trace = [(at, kind, value[6:] if kind == "dtype" else value) for at, kind, value in call["probes"]]
    if trace != [(e["at"], e["probe"], str(e["value"])) for e in recorded["trace"]]:
        yield "trace: %s, recorded %s" % (trace, recorded["trace"])
    for k, there in enumerate(recorded["returns"]):
        here = call["return[%d]" % k]
        for key in ("size", "requires_grad", "is_leaf", "alias"):
            if here[key] != there[key]:
                yield "return[%d].%s: %s, recorded %s" % (k, key, here[key], there[key])
        if here["dtype"][6:] != there["dtype"] or here["size"] != there["size"]:
            yield "return[%d]: another dtype or size" % k
        elif not close(here["data"], tensor(there["data"], here["data"].dtype, there["size"])):
            yield "return[%d]: %s, recorded %s" % (k, here["data"], there["data"])
    for there in recorded["inputs"]:
        here = call["input " + there["name"]]
        if here["requires_grad"] != there["requires_grad"]:
            yield "input %s: another requires_grad" % there["name"]
        if "grad" not in here:
            continue
        grad = here["grad"]
        if (grad is None) != (there["grad"] is None):
            yield "input %s: gradient %s, recorded %s" % (there["name"], grad, there["grad"])
        elif grad is not None and not close(grad, tensor(there["grad"]["data"], grad.dtype, there["grad"]["size"])):
            yield "input %s: gradient %s, recorded %s" % (there["name"], grad, there["grad"])


def main():
    rng = random.Random(5)
    programs = [json.loads(line) for name in sys.argv[1:] for line in open(name)]
    cases = [(p, p) for p in programs] + [(draw_shell(p, rng), p) for p in programs]
    passed = failed = 0
    for number, (text, (shown, program)) in enumerate(zip(export([shown for shown, _ in cases]), cases)):
        if text is None:
            continue
        name = "case%d.py" % number
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        scope = {"__name__": "case", "__file__": name}
        try:
            exec(compile(text, name, "exec"), scope)
            calls = scope["_run"](scope["_eager"])
            found = [d for call, there in zip(calls, program["expect"]["calls"]) for d in differences(call, there)]
        except Exception as error:  # the script does not run
            found = [repr(error)]
        passed += not found
        failed += bool(found)
        if found and failed <= 10:
            print(program["name"], shown.get("shell", ""), *found, sep="\n    ")
    print("export: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
