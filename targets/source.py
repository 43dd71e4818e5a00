"""The exported function of a program: its text as a module of its own, and the statement that a line of it is."""
import linecache
import re
import sys
import types

from error_codes import causes


def importable(module):
    """Dynamo imports the module of a function by its name, and keeps what it got."""
    sys.modules[module.__name__] = module
    kept = getattr(sys.modules.get("torch._dynamo.symbolic_convert"), "_import_module", None)
    if hasattr(kept, "cache_clear"):
        kept.cache_clear()


class Source:
    """The exported function, under its own file name."""

    count = 0

    def __init__(self, text):
        Source.count += 1  # one name each: Dynamo leaves the module that it has imported in those of PyTorch, and refuses another one of its name
        self.module = "twingrad_program_%d" % Source.count
        self.name = self.module + ".py"
        self.lines = text.split("\n")
        linecache.cache[self.name] = (len(text), None, [line + "\n" for line in self.lines], self.name)
        module = types.ModuleType(self.module)
        self.scope = vars(module)
        self.scope["__file__"] = self.name
        importable(module)
        exec(compile(text, self.name, "exec"), self.scope)

    def forget(self):
        linecache.cache.pop(self.name, None)
        sys.modules.pop(self.module, None)

    def path(self, number):
        """The statement's path at the end of a line."""
        _, found, path = self.lines[number - 1].rpartition("  # ")
        return path if found else None

    def reading(self, number, error):
        """The line that reads an unbound name: CPython 3.11 and later, once the function is hot, may name the assignment before it (the two
        instructions are one then)."""
        unbound = re.search(r"local variable '(\w+)'", str(error)) if isinstance(error, UnboundLocalError) else None
        for k in range(number, len(self.lines) + 1 if unbound else 0):
            if re.search(r"\b%s\b" % unbound.group(1), self.lines[k - 1]):
                return k
        return number

    def locate(self, error):
        """The path of the innermost statement in the traceback, and whether the function itself raised. The ops of a captured graph have no place: they run
        where the graph is called, which is a line of the first or of none of them."""
        raised = False
        for one in causes(error):
            at, inner, tb = None, False, one.__traceback__
            while tb is not None:
                code, called = tb.tb_frame.f_code, inner
                if called and code.co_name == "_fn" and code.co_filename.endswith("torch/_dynamo/eval_frame.py"):
                    at = None
                inner = code.co_filename == self.name
                at = (self.path(self.reading(tb.tb_lineno, one)) if inner else None) or at
                tb = tb.tb_next
            if at:
                return at, inner
            raised = raised or inner  # by the backward of a function, whose statements have no path
        return None, raised
