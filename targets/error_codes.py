"""Error codes of PyTorch's exceptions, for targets: the rows of error_codes.tsv, by type first and message second. Needs no PyTorch."""
import os
import re

INTERNAL_MESSAGE = "INTERNAL ASSERT FAILED"
MISSING = re.compile(r"Could not run 'aten|There was no rule registered")  # a kernel for fake tensors, where the compiler asks for one
EAGER = ("RuntimeError", "IndexError", "ValueError", "TypeError", "NotImplementedError")  # what eager PyTorch raises for a bad program


def read_codes(name):
    """The rows of error_codes.tsv: (code, names of exception types or None for all, pattern)."""
    rows = []
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)) as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                code, kinds, pattern = line.rstrip("\n").split("\t")
                rows.append((code, None if kinds == "*" else set(kinds.split("|")), re.compile(pattern)))
    return rows


CODES = read_codes("error_codes.tsv")


def causes(error):
    """The exception and the exceptions that caused it. Compilers of 2.x raise `from None` and keep the cause in `inner_exception`."""
    seen = []
    while error is not None and error not in seen and len(seen) < 16:
        seen.append(error)
        error = getattr(error, "inner_exception", None) or error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return seen


def origins(error):
    """causes(), and behind them what Dynamo caught before it raised an error of its own `from None`: the error of the fake kernel that ran."""
    chain = causes(error)
    while chain and len(chain) < 32:
        last = chain[-1]
        if last.__context__ is None or last.__context__ in chain or not type(last).__module__.startswith("torch._dynamo"):
            break
        chain += causes(last.__context__)
    return chain


def kind_and_message(error):
    """Name of the type and message of the error that eager PyTorch would raise: Dynamo quotes an error of its fake tensors in the message of its own."""
    quoted = re.search(r"""fake tensor.*?: got (\w+)\((['"])(.*?)\2\)(?:$|\n)""", str(error), re.DOTALL)
    if not quoted and type(error).__name__ in ("InternalTorchDynamoError", "LoweringException"):  # "RuntimeError: message", without its cause
        quoted = re.match(r"(\w+)(: )(.*?)(?:$|\n)", str(error))
    return (quoted.group(1), quoted.group(3)) if quoted else (type(error).__name__, str(error))


def readable(message):
    """Without the operands that Dynamo quotes, which may be longer than all of the rest."""
    return re.sub(r"(?:\w+ when making fake tensor call\s+Explanation: )?(Dynamo failed to run FX node with fake tensors: [^\n]*?)\(\*\(.*?\): got (?=\w+\()",
                  r"\1: got ", message, count=1, flags=re.DOTALL)


def code_of(kind, message, by_type=True):
    """The error code of an exception; None if no row matches. by_type: rows without a pattern count too."""
    return next((code for code, kinds, pattern in CODES
                 if (kinds is None or kind in kinds) and (pattern.pattern or by_type) and pattern.search(message)), None)


def refusal(chain):
    """The code of the error of the program that made a compiler fail: of the innermost exception that eager PyTorch can raise. None if the compiler
    itself failed."""
    for error in reversed(chain):
        kind, message = kind_and_message(error)
        if re.match(r"(list|tuple|string|pop) .*(index|range)", message):  # Python's own: a bug of the compiler
            return None
        if MISSING.search(message):  # eager PyTorch runs the op
            return None
        if kind in EAGER and INTERNAL_MESSAGE not in message:
            return code_of(kind, message, by_type=False)
    return None
