"""A target that misbehaves on request: the program's name says how ("die", "hang", "garbage", "flood", "kill", "noid", "long", "late word", "hungry", "orphan", "held", "spin", "slow core", "slow core of a child"); "die compiled" when it is run in that mode, "die together" in two modes at once); further arguments are the modes that it has besides eager; any other is answered with one call that returned nothing, "flaky" with a wrong version at
every other request, "wrong" when compiled, "wrong of small" then, where the program has fewer than two inputs, "raise" then and in the mode fake (in the function FAKE_FRAME, if that is set), "raise at first" then, at a first statement that is an op, "raise for computed" then, where the program returns what is not an input, "changed later" then, with a return that changes behind its call, "shared gradients" then, with two gradients on one memory, "separated gradients" in eager mode, "gradients that require grad" then, "uncounted write" then, where eager mode counts one, "state" then, with hooks of saved tensors left disabled, "refuse" in eager mode at a first statement that binds something, "hash" too unless PYTHONHASHSEED is 2, "many" raises others all the time, "slow" too, which never answers then. "last" answers the first request
after FAKE_OTHERS others, and dies if there are none within ten seconds. The first program that is to run alone waits in that way for FAKE_ALONE_OTHERS more. FAKE_AS is a name for all programs. "exit" as an argument: ends at once; "accepts": takes requests for several modes, and for a
process of their own. Only the first FAKE_STARTS processes start; each of them ends after FAKE_ANSWERS answers. FAKE_LOG names a file that gets a line for each request: its process, the modes, "alone", and
FAKE_SESSIONS one that gets TWINGRAD_SESSION, or "none", of each process."""
import json
import os
import signal
import sys
import time

DIFFERENTIABLE = {"dtype": "float32", "size": [1], "data": [1], "requires_grad": True}


def requests():
    with open(os.environ["FAKE_LOG"]) as log:
        return sum(1 for _ in log)


def wait_for_requests(suffix, wanted):
    """The first process that comes here goes on when that many requests are in the log; it dies if that takes ten seconds, and leaves a file that says so."""
    try:
        os.close(os.open(os.environ["FAKE_LOG"] + suffix, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    ends = time.time() + 10
    while requests() < wanted:
        if time.time() >= ends:
            open(os.environ["FAKE_LOG"] + suffix + ".late", "w").close()
            sys.exit("no other programs came")
        time.sleep(0.01)


def on_a_slow_core():  # four seconds by the clock, a quarter of them of processor time
    for _ in range(40):
        until = time.process_time() + 0.025
        while time.process_time() < until:
            pass
        time.sleep(0.075)


answers = int(os.environ.get("FAKE_ANSWERS", "0"))  # how many are left; 0: no end
how = sys.argv[1] if len(sys.argv) > 1 else ""
if how == "exit":
    sys.exit("this target does not want to start")
if "FAKE_STARTS" in os.environ:
    with open(os.environ["FAKE_LOG"] + ".starts", "a") as starts:
        starts.write("x")
        starts.flush()
        if os.fstat(starts.fileno()).st_size > int(os.environ["FAKE_STARTS"]):
            sys.exit("no more processes")
if "FAKE_SESSIONS" in os.environ:
    with open(os.environ["FAKE_SESSIONS"], "a") as log:
        log.write(os.environ.get("TWINGRAD_SESSION", "none") + "\n")
asked = 0
pause = float(os.environ.get("FAKE_PAUSE", "0"))  # seconds before each answer
for line in sys.stdin:
    request = json.loads(line)
    if "hello" in request:
        accepts = {"accepts": ["modes", "alone"]} if how == "accepts" else {}
        print(json.dumps({"hello": 1, "target": "fake 1", "modes": ["eager", *(sys.argv[2:] or ["compiled"])], **accepts}), flush=True)
        continue
    modes = request.get("modes") or [request["mode"]]
    if "FAKE_LOG" in os.environ:
        with open(os.environ["FAKE_LOG"], "a") as log:
            log.write("%d %s%s\n" % (os.getpid(), " ".join(modes), " alone" if request.get("alone") else ""))
    name = os.environ.get("FAKE_AS") or request["program"].get("name", "")
    time.sleep(pause)
    if request.get("alone") and "FAKE_ALONE_OTHERS" in os.environ:
        wait_for_requests(".alone", requests() + int(os.environ["FAKE_ALONE_OTHERS"]))
    results = [{"twingrad_result": 1, "target": "fake 1", "calls": [{"status": "ok", "returns": [], "inputs": []}]} for _ in modes]
    answer = {"id": request["id"], "results": results} if "modes" in request else {"id": request["id"], "result": results[0]}
    call = results[0]["calls"][0]
    if name == "die" or (name == "die compiled" and "compiled" in modes) or (name == "die together" and len(modes) > 1):
        sys.exit("dying of " + name)
    elif name == "hang":
        time.sleep(600)
    elif name == "spin":
        while True:
            pass
    elif name == "slow core":
        on_a_slow_core()
    elif name == "slow core of a child":
        child = os.fork()
        if child == 0:
            on_a_slow_core()
            os._exit(0)
        os.waitpid(child, 0)
    elif name == "garbage":
        print("this is not JSON", flush=True)
        continue
    elif name == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    elif name == "hungry":
        try:
            bytearray(300 << 20)
        except MemoryError:
            sys.exit("no memory")
    elif name in ("orphan", "held"):  # a process in a session of its own, whose parent ends; it keeps our output open
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                with open(os.environ["ORPHAN"], "w") as f:
                    f.write(str(os.getpid()))
                time.sleep(600)
            os._exit(0)
        os.wait()
        while not os.path.exists(os.environ["ORPHAN"]) or not os.path.getsize(os.environ["ORPHAN"]):
            time.sleep(0.01)
        if name == "held":
            sys.exit("dying of held")
    elif name == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "noid":
        answer["id"] += 1
    elif name == "vacuous":
        call["vacuous"] = True
    elif name == "unsupported":
        call.update(status="error", error={"at": None, "code": "unsupported"})
    elif name == "version":
        call["inputs"] = [{"name": "x", "version": 7}]
    elif name in ("raise", "raise at first", "raise for computed"):
        program = request["program"]
        computed = set(program["return"]) - {given["name"] for given in program["inputs"]}
        fails = {"raise": True, "raise at first": "op" in (program["body"] or [{}])[0], "raise for computed": bool(computed)}[name]
        for mode, result in zip(modes, results):
            if mode in ("compiled", "fake") and fails:
                error = {"at": "body[0]" if name == "raise at first" else None, "code": "internal", "message": "Error: of 3 things"}
                result["calls"][0].update(status="error", error=error)
                result["calls"][0]["x-frame"] = os.environ.get("FAKE_FRAME", "compiler/file.py:function")
    elif name == "refuse":
        first = (request["program"]["body"] or [{}])[0]
        for mode, result in zip(modes, results):
            if mode == "eager" and "op" in first and "out" in first:
                result["calls"][0].update(status="error", error={"at": "body[0]", "code": "index_range", "message": "out of range"})
    elif name in ("wrong", "wrong of small", "hash", "slow"):
        if name == "slow" and os.environ.get("PYTHONHASHSEED") == "2":
            time.sleep(600)
        for mode, result in zip(modes, results):
            bad = (mode == "compiled" or mode.endswith("_dynamic")) and (name != "hash" or os.environ.get("PYTHONHASHSEED") != "2")
            bad = bad and (name != "wrong of small" or len(request["program"]["inputs"]) < 2)
            result["calls"][0]["inputs"] = [{"name": given["name"], "requires_grad": bad} for given in request["program"]["inputs"][:1]]
    elif name in ("shared gradients", "separated gradients"):
        for mode, result in zip(modes, results):
            alias = "grad:input:w" if (mode == "compiled") == (name == "shared gradients") else None
            grads = [{"size": [1], "data": [1], "alias": owner} for owner in (None, alias)]
            result["calls"][0]["returns"] = [DIFFERENTIABLE]
            result["calls"][0]["inputs"] = [{"name": given, "grad": grad} for given, grad in zip("wx", grads)]
    elif name == "gradients that require grad":
        for mode, result in zip(modes, results):
            result["calls"][0]["returns"] = [DIFFERENTIABLE]
            result["calls"][0]["inputs"] = [{"name": "x", "grad": {"size": [1], "data": [1], "requires_grad": mode == "compiled"}}]
    elif name == "uncounted write":
        for mode, result in zip(modes, results):
            result["calls"][0]["inputs"] = [{"name": "x", "size": [1], "data": [1], "version": int(mode != "compiled")}]
    elif name == "state":
        for mode, result in zip(modes, results):
            result["calls"][0]["changed_state"] = ["saved_tensors_hooks"] if mode == "compiled" else []
    elif name in ("changed later", "changed later, then an error"):
        for mode, result in zip(modes, results):
            record = {"dtype": "float32", "size": [1], "data": [1]}
            call = result["calls"][0]
            call.update(returns=[record], changed_later=[0] if mode == "compiled" else [])
            if name != "changed later":
                result["calls"].append({"status": "error", "error": {"at": None, "code": "shape"}, "returns": [], "inputs": []})
    elif name == "flaky":
        asked += 1
        call["inputs"] = [{"name": "x", "version": 7 * (asked % 2)}]
    elif name == "last":
        wait_for_requests(".first", 1 + int(os.environ["FAKE_OTHERS"]))
    elif name == "long":
        call["x-text"] = "x" * (17 << 20)
    elif name == "many":  # another error for each request
        asked += 1
        word = "".join("abcdefghij"[int(digit)] for digit in str(asked))
        if "compiled" in modes:
            results[-1]["calls"][0].update(status="error", error={"at": None, "code": "internal", "message": "Error: of " + word})
    elif name == "extra":
        call["x-graph-breaks"] = 3
    late = "and another thing\n" if name == "late word" else ""
    sys.stdout.write(json.dumps(answer) + "\n" + late)  # in one write: both are there when the answer is read
    sys.stdout.flush()
    answers -= 1
    if answers == 0:
        sys.exit()
