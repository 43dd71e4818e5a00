"""What an answer says of an error: the statement, the code and the message; and the frame of the compiler that raised it."""
import re

from error_codes import INTERNAL_MESSAGE, causes, code_of, kind_and_message, origins, readable, refusal

LOST_GPU = "CUDA error: "  # of a kernel: the process can use the GPU no longer
INTERNAL = ("MetadataMismatchError", "InternalTorchDynamoError", "BackendCompilerFailed", "LoweringException", "InductorError", "CppCompileError", "PartitionError")
UNSUPPORTED = ("Unsupported", "DataDependentOutputException", "DynamicOutputShapeException", "UnsupportedOperatorException",
               "GuardOnDataDependentSymNode", "UncapturedHigherOrderOpError")


def frame_of(error):
    """File and function of the innermost frame of the compiler that raised the error, or was running when something else did; None if there is none."""
    for one in reversed(origins(error)):
        tb, found = one.__traceback__, None
        while tb is not None:
            code = tb.tb_frame.f_code
            part = re.search(r"/torch/((_dynamo|_functorch|_inductor|_subclasses|_higher_order_ops|fx|_decomp|_refs|_prims)/.*|_meta_registrations\.py)", code.co_filename)
            found = "%s:%s" % (part.group(1), code.co_name) if part else found
            tb = tb.tb_next
        if found:
            return found
    return None


def refused_by_function(error):
    """Is it an assertion about the arguments of a function of torch.nn.functional?"""
    tb = error.__traceback__ if isinstance(error, AssertionError) else None
    while tb is not None and not tb.tb_frame.f_code.co_filename.endswith("torch/nn/functional.py"):
        tb = tb.tb_next
    return tb is not None


def error_record(source, error, at, mode):
    chain = causes(error)
    names = [type(one).__name__ for one in chain]
    found, inner = source.locate(error)
    message = "; ".join(str(one) for one in chain)
    named = re.findall(r'File "%s", line (\d+)' % re.escape(source.name), message)  # Dynamo's "from user code"
    found = (source.path(int(named[-1])) if named else None) or found
    if LOST_GPU in message:  # an assertion of a kernel says no more, and the process cannot go on
        code = "unsupported" if mode.startswith("eager") else "internal"
    elif any(name in INTERNAL for name in names) or INTERNAL_MESSAGE in message:
        code = refusal(chain) or "internal"
    elif any(name in UNSUPPORTED for name in names):
        code = "unsupported"
    elif isinstance(error, AssertionError) and inner:
        code = "assertion"
    elif refused_by_function(error):
        code = "invalid"
    elif isinstance(error, (AssertionError, KeyError, AttributeError, RecursionError)) and not inner:
        code = "internal"
    else:
        code = code_of(*kind_and_message(error)) or refusal(chain) or "invalid"
    text = readable(message.split("\nFrom user code")[0])[:500]
    return {"at": at or found, "code": code, "message": "%s: %s" % (type(error).__name__, text)}
