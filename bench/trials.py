"""What bench/power and bench/screening share: the features that they switch off, and the trials of a folder of `twingrad power`."""
import json
import os
import statistics

# each situation of the generator, and the patterns
OFF = "motif=0 mistake=0 setup=0 shell=0 few_ops=0 chain=0 related=0 extremes=0 integers=0 limits=0 neutral=0 breaks=0 mixed=0 long_lists=0 layout_pair=0 new_view=0 cycle=0 recall=0 specials=0 inexact_choice=0 question=0 unlike=0".split()


def trials_of(folder):
    """The trials of a run, by fault."""
    trials = {}
    with open(os.path.join(folder, "trials.jsonl")) as lines:
        for line in map(json.loads, lines):
            if line.get("type") == "trial":
                trials.setdefault(line["fault"], []).append(line)
    return trials


def median_until_detected(trials, unit):
    return statistics.median(trial["detected"][unit] if "detected" in trial else float("inf") for trial in trials)


def slowest(folder, n=30):
    """The n faults that took the most CPU time in the median."""
    trials = trials_of(folder)
    return sorted(trials, key=lambda fault: (-median_until_detected(trials[fault], "seconds"), fault))[:n]
