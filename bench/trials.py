"""What bench/power and bench/screening share: the features that they switch off, the trials of a folder of `twingrad power`, statistics; and the CPU time of bench/hunt."""
import json
import math
import os
import resource
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


def a12(xs, ys):
    """Vargha and Delaney: how often a time of the first run is the shorter one; equal ones count half."""
    wins = sum((x < y) + 0.5 * (x == y) for x in xs for y in ys)
    return wins / (len(xs) * len(ys))


def mann_whitney(xs, ys):
    """The two-sided p of the normal approximation, with corrections for ties and continuity."""
    both = sorted([(x, 0) for x in xs] + [(y, 1) for y in ys])
    ranks, ties, i = 0.0, 0.0, 0
    while i < len(both):
        j = i
        while j < len(both) and both[j][0] == both[i][0]:
            j += 1
        ranks += (i + 1 + j) / 2 * sum(side == 0 for _, side in both[i:j])
        ties += (j - i) ** 3 - (j - i)
        i = j
    n, m = len(xs), len(ys)
    spread = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    if spread <= 0:
        return 1.0
    u = ranks - n * (n + 1) / 2
    z = max(abs(u - n * m / 2) - 0.5, 0) / math.sqrt(spread)
    return math.erfc(z / math.sqrt(2))


def cpu():
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
