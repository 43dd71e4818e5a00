"""Kernels of Inductor that several processes of one search wait for at the same time are compiled as one C++ file.

g++ needs 0.7 seconds for a kernel of a few lines and 2 for sixteen of them: nearly all of its time goes to what comes before the kernel. So a process that needs a
kernel puts a request in a folder that all of them share, and waits. When every process that has a program to run waits, one of them compiles what all wait for.
Each kernel is text in a namespace of its own, compiled with the flags that Inductor chose for it. A third of the time is the linker's, which reads PyTorch's
libraries: the kernel is linked without them, and finds their symbols in this process. clang with a precompiled header of its own (kernels_clang.py) takes half the time of
g++ with its own, and is used where it is installed. What does not compile in this way, or not soon, is compiled as Inductor compiles it, and so is everything in
processes that run one program alone, which confirm a finding.

    FOLDER/mutex          held (flock) by whoever reads or changes what follows
    FOLDER/compiler       held by the process that compiles; taken with the mutex held
    FOLDER/PID.alive      held by the process for as long as it lives
    FOLDER/PID.bell       a pipe: a byte in it wakes the process, which has an answer or is to look at the others
    FOLDER/PID.busy       it has a program to run
    FOLDER/PID.wants      its request: {"source", "target", "command", "since"}
    FOLDER/PID.taken      whose request it was, by whom it is compiled
    FOLDER/PID.answer     {"so": its library, "name": of its module}, or {} if that did not succeed
    FOLDER/HASH.pch       the precompiled header of clang for these flags; made with the compiler's lock held
    FOLDER/HASH.none      clang cannot make it
"""
import atexit
import contextlib
import ctypes
import fcntl
import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time

import kernels_clang as clang

WAIT = 0.5  # seconds after which a process that nobody wakes looks at the others: looking ten times a second took 2 % of a core
SETTLE = 0.05  # seconds in which one that has ended a program may be given another
PATIENCE = 5.0  # seconds after which a request no longer waits for processes that do not
LIMIT = 300.0  # seconds after which a process compiles for itself
PREFIX = "twingrad-kernels-"


class Held:
    """A file whose lock this process holds."""

    def __init__(self, path, wait=True):
        self.file = open(path, "a")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.ok = True
        except OSError:
            self.ok = False
            self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.ok:
            self.file.close()  # with the file goes its lock


def write(path, value):
    with open(path + ".new", "w") as out:
        json.dump(value, out)
    os.replace(path + ".new", path)


def read(path):
    with open(path) as text:
        return json.load(text)


def unlink(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


class Sharing:
    """This process among those that share the compiler; `folder` is theirs."""

    def __init__(self, folder):
        self.folder = folder
        self.name = str(os.getpid())
        self.pid = os.getpid()
        self.life = self.enter()
        self.bell = os.open(self.path("bell"), os.O_RDWR | os.O_NONBLOCK)  # also for writing: without a writer it would end
        self.made = 0  # files that this process compiled
        self.built = {}  # target: (library, name of the module)
        self.lean = False  # the symbols of PyTorch's libraries are visible
        atexit.register(self.leave)

    def enter(self):
        """The lock of a process that lives, taken with the mutex held: a file without its lock is a dead one's. The last to leave may remove the folder meanwhile."""
        while True:
            os.makedirs(self.folder, exist_ok=True)
            try:
                with self.mutex():
                    unlink(self.path("bell"))
                    os.mkfifo(self.path("bell"))
                    return Held(self.path("alive"))
            except FileNotFoundError:
                pass

    def path(self, kind, name=None):
        return os.path.join(self.folder, "%s.%s" % (name or self.name, kind))

    def here(self):
        return os.getpid() == self.pid  # a forked child is none of them

    def busy(self, yes):
        if not yes:
            unlink(self.path("busy"))
            for path in glob.glob(os.path.join(self.folder, "*.wants"))[:1]:  # perhaps all wait now
                self.ring(os.path.basename(path)[:-len(".wants")])
        elif os.path.isdir(self.folder):  # without it every process compiles for itself
            open(self.path("busy"), "w").close()

    def ring(self, name):
        """Wakes the process if it waits."""
        try:
            bell = os.open(self.path("bell", name), os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return  # it is dead
        with contextlib.suppress(BlockingIOError):  # it has not heard thousands yet
            os.write(bell, b"!")
        os.close(bell)

    def listen(self):
        """Waits until somebody rings, but not for long."""
        if select.select([self.bell], [], [], WAIT)[0]:
            os.read(self.bell, 1 << 16)
            if not os.path.exists(self.path("answer")):
                time.sleep(SETTLE)

    def leave(self):
        if not self.here():
            return
        try:
            with self.mutex():
                for path in glob.glob(self.path("*")):
                    unlink(path)
                if not glob.glob(os.path.join(self.folder, "*.alive")):
                    shutil.rmtree(self.folder)
        except OSError:
            pass  # the folder is gone

    # ---- with the mutex held ----

    def mutex(self):
        return Held(os.path.join(self.folder, "mutex"))

    def others(self):
        """The names of all that live, this process included; what dead ones left is removed."""
        names = [self.name]
        for path in glob.glob(os.path.join(self.folder, "*.alive")):
            name = os.path.basename(path)[:-len(".alive")]
            if name == self.name:
                continue
            with Held(path, wait=False) as lock:
                if not lock.ok:
                    names.append(name)
                    continue
                for left in glob.glob(self.path("*", name)):
                    unlink(left)
        return names

    def take_batch(self, since):
        """The requests to compile now, by name; none while others are expected to add theirs."""
        names = self.others()
        wanting = [name for name in names if os.path.exists(self.path("wants", name))]
        running = [name for name in names if name not in wanting and os.path.exists(self.path("busy", name))]
        if self.name not in wanting or (running and time.monotonic() - since < PATIENCE):
            return {}
        batch = {name: read(self.path("wants", name)) for name in wanting}
        for name in batch:
            os.replace(self.path("wants", name), self.path("taken", name))
            write(self.path("taken", name), {"by": self.name})
        return batch

    def compiler_died(self):
        """Nobody compiles this process's request any longer."""
        try:
            by = read(self.path("taken"))["by"]
        except (FileNotFoundError, ValueError):
            return False
        return by != self.name and by not in self.others() and not os.path.exists(self.path("answer"))

    # ---- a request ----

    def build(self, source, target, command):
        """Has the kernel compiled; False if it was not."""
        try:
            return self.ask(source, target, command)
        except OSError:
            return False  # somebody removed the folder, or the disk is full

    def ask(self, source, target, command):
        since = time.monotonic()
        unlink(self.path("answer"))
        write(self.path("wants"), {"source": source, "target": target, "command": command})
        answered = self.path("answer")
        while not os.path.exists(answered):
            if not self.look(since):
                unlink(self.path("wants"))
                unlink(self.path("taken"))
                return False
            if not os.path.exists(answered):
                self.listen()
        unlink(self.path("taken"))
        answer = read(self.path("answer"))
        unlink(self.path("answer"))
        if answer:
            self.built[target] = answer["so"], answer["name"]
        return bool(answer)

    def look(self, since):
        """Compiles what all wait for, if it is time and nobody else does; False if this process waits in vain."""
        with self.mutex():  # held before the other lock: whoever does not get that one knows that somebody compiles
            compiler = Held(os.path.join(self.folder, "compiler"), wait=False)
            batch = self.take_batch(since) if compiler.ok else {}
            if not batch:
                with compiler:
                    return time.monotonic() - since <= LIMIT and not self.compiler_died()
        with compiler:
            self.compile(batch)
        return True

    def compile(self, batch):
        """Answers each request of the batch."""
        groups = {}
        for name, request in batch.items():
            command = request["command"].replace(request["source"], "${source}").replace(request["target"], "${target}")
            groups.setdefault(command, []).append((name, request))
        cores = len(os.sched_getaffinity(0))
        parts = []
        for command, members in groups.items():
            n = max(1, min(cores, len(members) // 8))  # each core a file, if it is worth one
            parts += [(command, members[i::n]) for i in range(n)]
        running = [(command, members, header, self.start(command, members, header)) for command, members in parts for header in [clang.header(self.folder, command)]]
        for command, members, header, begun in running:
            if not self.finish(members, *begun) and not (header and self.finish(members, *self.start(command, members, None))):
                for name, _ in members:
                    write(self.path("answer", name), {})
                    self.ring(name)

    def finish(self, members, process, library, names):
        """Gives the members what the compiler made; False if it failed."""
        done = process.wait() == 0
        for (name, _), module in zip(members, names) if done else ():
            own = self.path(module + ".so", name)  # the dynamic linker takes a path that it has seen for the same library
            os.link(library, own)
            write(self.path("answer", name), {"so": own, "name": module})
            self.ring(name)
        shutil.rmtree(os.path.dirname(library))
        return done

    def start(self, command, members, header):
        """Starts the compiler on the members' sources (with a header: clang): its process, the library that it makes, the names of their modules."""
        folder = tempfile.mkdtemp(dir=self.folder)
        texts = []
        for _, request in members:
            with open(request["source"]) as text:
                texts.append(text.read())
        self.made += 1
        names = ["kernel_%s_%d_%d" % (self.name, self.made, k) for k in range(len(texts))]
        source, library = os.path.join(folder, "kernels.cpp"), os.path.join(folder, "kernels.so")
        with open(source, "w") as out:
            out.write(join(texts, names))
        line = lean(command) if self.lean else command
        line = (clang.command(line, header) if header else line).replace("${source}", source).replace("${target}", library)
        with open(os.devnull, "w") as nothing:
            process = subprocess.Popen(line, shell=True, cwd=folder, stdout=nothing, stderr=nothing)
        return process, library, names


def lean(command):
    """The compiler's command without what only costs time: libraries that are loaded already, debug information, a slow linker."""
    return re.sub(r" -l(torch|torch_cpu|torch_python|c10)(?= |$)", "", command) + (" -g0 -fuse-ld=gold" if shutil.which("ld.gold") else " -g0")


def show_symbols():
    """Makes the symbols of PyTorch's libraries, which Python loaded for itself, visible to libraries that are loaded later; False if one is not there."""
    import torch
    folder = os.path.join(os.path.dirname(torch.__file__), "lib")
    try:
        for name in ("libc10.so", "libtorch_cpu.so", "libtorch_python.so"):
            ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL | os.RTLD_NOLOAD)
    except OSError:
        return False
    return True


INCLUDE = re.compile(r"^\s*#\s*include\b.*$", re.MULTILINE)


def join(texts, names):
    """One C++ file of several: what they include first, then each in a namespace, with the names that have C linkage changed."""
    lines = ["#define PY_SSIZE_T_CLEAN"]
    for text in texts:
        lines += [line for line in INCLUDE.findall(text) if line not in lines]
    for text, name in zip(texts, names):
        lines += ["#define kernel " + name, "#define PyInit_kernel PyInit_" + name, "namespace space_%s {" % name, INCLUDE.sub("", text).replace("#define PY_SSIZE_T_CLEAN", ""),
                  "}", "#undef kernel", "#undef PyInit_kernel"]
    return "\n".join(lines) + "\n"


def sweep():
    """Removes the folders of searches that ended without doing so."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")):
        pid = folder.rsplit("-", 1)[1].split(".")[0]  # "PID.N" in earlier versions
        if pid.isdigit() and not os.path.exists("/proc/" + pid):
            shutil.rmtree(folder, ignore_errors=True)


def install(session):
    """Shares the compiler with the other processes of the search (its process number): a Sharing, or None where Inductor is not as expected."""
    from torch._inductor import codecache
    if not hasattr(codecache, "_worker_compile_cpp") or not hasattr(codecache.CppPythonBindingsCodeCache, "_load_library_inner"):
        return None
    sweep()
    sharing = Sharing(os.path.join(tempfile.gettempdir(), PREFIX + session))
    sharing.lean = show_symbols()
    compile_alone = codecache._worker_compile_cpp
    load_alone = codecache.CppPythonBindingsCodeCache._load_library_inner.__func__

    def compile_shared(lock_path, builders):
        builder = builders[0]
        target = builder.get_target_file_path()
        if not sharing.here() or len(builders) > 1 or os.path.exists(target) or target in sharing.built:
            return None if target in sharing.built else compile_alone(lock_path, builders)
        command = builder.get_command_line()
        source = re.search(r"\S+\.cpp\b", command)
        if source:
            with open(source[0]) as text:
                shareable = "PyInit_kernel(" in text.read() and target in command
            if shareable and sharing.build(source[0], target, command):
                return None
        return compile_alone(lock_path, builders)

    def load_shared(cls, path, key):
        if path not in sharing.built:
            return load_alone(cls, path, key)
        library, name = sharing.built.pop(path)
        original = importlib.util.spec_from_file_location

        def spec(_module, _path):
            return original(name, library, loader=importlib.machinery.ExtensionFileLoader(name, library))
        importlib.util.spec_from_file_location = spec
        try:
            return load_alone(cls, path, key)
        finally:
            importlib.util.spec_from_file_location = original
            unlink(library)

    codecache._worker_compile_cpp = compile_shared
    codecache.CppPythonBindingsCodeCache._load_library_inner = classmethod(load_shared)
    return sharing
