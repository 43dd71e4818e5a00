"""Times forward and backward of one program on the reference and in eager PyTorch: speed.py TWINGRAD ROUNDS_BINARY FILE (see bench/speed).

The rounds of both alternate on the same core. Each uses one thread, after a warm-up, without JSON and probes. PyTorch runs the exported function
that targets run. Two things are timed:

    alone    the function and the backward only; tensors and tangents exist already
    whole    building tensors from lists of numbers, the function, recording the results, the backward, the gradients
"""
import statistics
import subprocess
import sys
import time

import torch

ROUNDS, RUNS = 60, 200
OUR_RUNS = 20 * RUNS  # a round takes about as long as PyTorch's, so that switching between the two costs both the same


def load(twingrad, file):
    text = subprocess.run([twingrad, "show", "--as", "torch", file], stdout=subprocess.PIPE, check=True).stdout.decode()
    scope = {"__name__": "exported", "__file__": "exported.py"}
    exec(compile(text, "exported.py", "exec"), scope)
    return scope


def functions(scope):
    """The two functions that are timed."""
    program, inputs = scope["program"], scope["_CALLS"][0]["inputs"]
    tensors, storages = scope["_build"](inputs, False)
    data = {key: (storage.tolist(), storage.dtype) for key, storage in storages.items()}
    kind, seed, of = scope["_BACKWARD"]
    roots = [k for k, r in enumerate(program(*tensors, [])) if r.requires_grad and (of is None or k in of)]
    given = [scope["_fill"](kind, seed + k, program(*tensors, [])[k].numel(), torch.float32).reshape(program(*tensors, [])[k].size()) for k in roots]
    numbers = [t.reshape(-1).tolist() for t in given]

    def alone():
        returns = program(*tensors, [])
        torch.autograd.backward([returns[k] for k in roots], given)
        for tensor in tensors:
            tensor.grad = None

    def whole():
        built = {key: torch.tensor(values, dtype=dtype) for key, (values, dtype) in data.items()}
        fresh = [built[key].as_strided(size, stride, offset).detach().requires_grad_(flag) for key, _, size, stride, offset, flag, _ in inputs]
        returns = program(*fresh, [])
        seen = [(r.dtype, list(r.size()), list(r.stride()), r.storage_offset(), r.requires_grad, r.is_leaf, r.detach().reshape(-1).tolist()) for r in returns]
        tangents = [torch.tensor(n, dtype=torch.float32).reshape(returns[k].size()) for k, n in zip(roots, numbers)]
        torch.autograd.backward([returns[k] for k in roots], tangents)
        return seen, [(list(t.grad.size()), t.grad.reshape(-1).tolist(), t._version, built[spec[0]].tolist()) for t, spec in zip(fresh, inputs) if t.grad is not None]

    return {"alone": alone, "whole": whole}


def microseconds(function):
    start = time.perf_counter()
    for _ in range(RUNS):
        function()
    return 1e6 * (time.perf_counter() - start) / RUNS


def main():
    twingrad, binary, file = sys.argv[1:]
    torch.set_num_threads(1)
    timed = functions(load(twingrad, file))
    ours = subprocess.Popen([binary, file, str(OUR_RUNS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    times = {name: [] for name in ("our alone", "our whole", "alone", "whole")}
    for round_number in range(ROUNDS + 3):
        ours.stdin.write(b"\n")
        ours.stdin.flush()
        took = dict(zip(("our alone", "our whole"), map(float, ours.stdout.readline().split())))
        took.update((name, microseconds(function)) for name, function in timed.items())
        if round_number >= 3:  # the first rounds warm up
            for name, value in took.items():
                times[name].append(value)
    ours.stdin.close()
    ours.wait()
    median = {name: statistics.median(values) for name, values in times.items()}
    print("%s: %d rounds of %d runs (reference: %d), one thread; microseconds, median (least)" % (file, ROUNDS, RUNS, OUR_RUNS))
    for name, words in (("alone", "forward and backward alone"), ("whole", "whole: inputs to recorded result")):
        ours_took, theirs = median["our " + name], median[name]
        print("  %-36s reference %6.2f (%.2f)   torch %s eager %6.1f (%.1f)   %.1f (%.1f) times" % (
            words, ours_took, min(times["our " + name]), torch.__version__, theirs, min(times[name]), theirs / ours_took, min(times[name]) / min(times["our " + name])))


if __name__ == "__main__":
    main()
