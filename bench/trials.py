"""What bench/power and bench/screening share: the features that they switch off, the trials of a folder of `twingrad power`, statistics; and the CPU time of bench/hunt."""
import collections
import json
import math
import os
import random
import resource
import statistics

# each situation of the generator, and the patterns
OFF = "motif=0 mistake=0 setup=0 shell=0 few_ops=0 chain=0 related=0 extremes=0 integers=0 limits=0 neutral=0 breaks=0 mixed=0 long_lists=0 layout_pair=0 new_view=0 cycle=0 recall=0 specials=0 inexact_choice=0 question=0 unlike=0".split()


def lines_of_run(folder):
    """The lines of a run's trials.jsonl, without a last one that was cut off: what it was, then its trials."""
    with open(os.path.join(folder, "trials.jsonl")) as lines:
        return [json.loads(line) for line in lines if line.endswith("\n")]


def cut_off(path):
    """Takes a last line without an end, which a process that was killed leaves, from a file that is appended to."""
    if os.path.exists(path):
        with open(path, "rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)


def of_something_else(trials):
    """Of a list of trials, those whose finding is not their fault's, in two lists: the fault was not triggered; and it was, but the same program ended the
    trials of two other faults or more that were not."""
    def program(trial):
        return trial["number"], trial["detected"]["programs"]

    ended = [trial for trial in trials if trial["canaries"] and "detected" in trial]
    untriggered = [trial for trial in ended if "triggered" not in trial]
    often = {which for which, n in collections.Counter(map(program, untriggered)).items() if n >= 2}
    return untriggered, [trial for trial in ended if "triggered" in trial and program(trial) in often]


def counted(trials):
    """A list of trials by fault, without those that ended in a finding of something else: they say nothing about how long their fault takes."""
    without = {id(trial) for group in of_something_else(trials) for trial in group}
    by_fault = {trial["fault"]: [] for trial in trials}
    for trial in trials:
        if id(trial) not in without:
            by_fault[trial["fault"]].append(trial)
    return by_fault


def trials_of(folder):
    """The trials of a run that count, by fault."""
    return counted([line for line in lines_of_run(folder) if line["type"] == "trial"])


def median_until_detected(trials, unit):
    return statistics.median([trial["detected"][unit] if "detected" in trial else float("inf") for trial in trials] or [float("inf")])


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


RESAMPLES = 2000


def least_ratio(mine, other, budget):
    """How many times as long the other median is; a median beyond the budget counts as the budget: a bound from below, and from above for mine."""
    return min(statistics.median(other), budget) / min(statistics.median(mine), budget)


def interval_of_ratio(times, budgets):
    """95 % of the bootstrap's medians of least_ratio: faults are drawn with replacement, and of each its trials on both sides. `times`: two lists for each
    fault. The same numbers in every call."""
    draw, faults, medians = random.Random(1), list(times), []
    for _ in range(RESAMPLES):
        sample = draw.choices(faults, k=len(faults))
        medians.append(statistics.median(least_ratio(*(draw.choices(side, k=len(side)) for side in times[f]), budgets[f]) for f in sample))
    medians.sort()
    return medians[RESAMPLES // 40 - 1], medians[-(RESAMPLES // 40)]


def cpu():
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
