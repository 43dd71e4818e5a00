"""What a compiler did with a program, for searches that this guides: with TWINGRAD_FEATURES=FILE the target appends a line of JSON for each program and mode,
{"name", "mode", "features"}. A feature is a word: an op in a graph, a counter of Dynamo, AOTAutograd or Inductor with the size of its number, why a frame
was broken, compiled again or left to Python, how many guards there are, and the text of an error.
"""
import json
import os
import re

import torch

FILE = os.environ.get("TWINGRAD_FEATURES", "")
COUNTED = ("guard_count", "shape_env_guard_count", "graph_op_count", "graph_input_count")
REASONS = ("recompile_reason", "fail_reason", "fail_type")
ops = set()  # of the graphs that were made since the last program


def watch():
    """Notes the ops of all graphs from now on."""
    made = torch.fx.GraphModule.__init__

    def init(self, *args, **words):
        made(self, *args, **words)
        ops.update(str(node.target) for node in self.graph.nodes if isinstance(node.target, torch._ops.OpOverload))
    torch.fx.GraphModule.__init__ = init


def plain(text):
    """A text without its numbers, names and addresses, so that two programs give one."""
    return re.sub(r"[^A-Za-z_.:]+", " ", re.sub(r"\b[a-z]\d+\b", "", str(text)))[:120].strip(" :")


def features(calls):
    dynamo = torch._dynamo.utils
    found = {"op " + op for op in ops}
    for group, counter in dynamo.counters.items():
        found.update("%s %s %d" % (group, plain(key), int(count).bit_length()) for key, count in counter.items())
    for metrics in getattr(dynamo, "get_compilation_metrics", list)():
        found.update("%s %d" % (name, int(getattr(metrics, name, None) or 0).bit_length()) for name in COUNTED)
        found.update("%s %s" % (name, plain(getattr(metrics, name))) for name in REASONS if getattr(metrics, name, None))
    for call in calls:
        if call["status"] != "ok":
            found.add("error %s %s %s" % (call["error"].get("code"), call.get("x-frame", ""), plain(call["error"].get("message", ""))))
    return sorted(found)


def write(program, mode, calls):
    line = json.dumps({"name": program.get("name", ""), "mode": mode, "features": features(calls)})
    ops.clear()
    with open(FILE, "a") as file:
        file.write(line + "\n")
