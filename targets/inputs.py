"""The inputs of a program: storages that are filled by rule, and the tensors that lie on them (docs/reference/format.md, "inputs")."""
import contextlib
import math

import torch

DTYPES = {name: getattr(torch, name) for name in "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split()}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
MASK = (1 << 64) - 1
FILLED = {}
DEVICE = "cpu"  # of the mode that runs


@contextlib.contextmanager
def device_of(name):
    """New tensors are on this device. Sums of float32 on a GPU do not round factors to TF32."""
    global DEVICE
    before, DEVICE = DEVICE, name
    if name != "cpu":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    if name != before:
        torch.set_default_device(name)
    try:
        yield
    finally:
        DEVICE = before
        if name != before:
            torch.set_default_device(None if before == "cpu" else before)


def wrap(value, dtype):
    info = torch.iinfo(dtype)
    value &= (1 << info.bits) - 1
    return value - (1 << info.bits) if info.min < 0 and value >> (info.bits - 1) else value


def signed(value):
    """The 64-bit word as an int64 of PyTorch."""
    return value - (1 << 64) if value >> 63 else value


def shifted(words, n):
    """Words without sign, shifted right; they are int64."""
    return (words >> n) & ((1 << (64 - n)) - 1)


def remainder(words, n):
    """Words without sign, modulo n."""
    return (shifted(words, 1) % n * 2 + (words & 1)) % n


def splitmix(seed, count):
    """The outputs of SplitMix64 as words without sign, in an int64 tensor: its products and sums wrap."""
    z = torch.arange(1, count + 1) * signed(0x9E3779B97F4A7C15) + signed(int(seed) & MASK)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    return z ^ shifted(z, 31)


def fill(kind, seed, count, dtype):
    """A new tensor; one that was made before is copied, since several modes need the same inputs."""
    key = kind, seed, count, dtype
    if key not in FILLED:
        if len(FILLED) >= 64:
            FILLED.clear()
        with device_of("cpu"):
            FILLED[key] = make_fill(*key)
    return FILLED[key].clone() if DEVICE == "cpu" else FILLED[key].to(DEVICE)


def make_fill(kind, seed, count, dtype):
    floating, boolean = dtype.is_floating_point, dtype == torch.bool
    if kind in ("zeros", "ones"):
        return torch.full([count], 1 if kind == "ones" else 0, dtype=dtype)
    if kind == "arange":
        return torch.arange(count).ne(0) if boolean else torch.arange(count).to(torch.float64 if floating else dtype).to(dtype)
    z = splitmix(seed, count)
    if kind == "special" and not boolean:
        info = torch.finfo(dtype) if floating else torch.iinfo(dtype)
        if floating:
            values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, math.inf, -math.inf, math.nan, info.tiny, info.max, info.eps]
        else:
            values = [wrap(value, dtype) for value in (0, 1, -1, 2, -2, 3, 7, -7, 100, info.min, info.max, 5)]
        return torch.tensor(values, dtype=dtype)[remainder(z, 12)]
    if kind == "uniform" and floating:
        return (shifted(z, 11).to(torch.float64) * 2.0**-53 * 4 - 2).to(dtype)
    if floating:
        return ((remainder(z, 33) - 16).to(torch.float64) / (10 if kind == "decimal" else 8)).to(dtype)
    return remainder(z, 2).ne(0) if boolean else (remainder(z, 33) - (0 if dtype == torch.uint8 else 16)).to(dtype)


def number(value):
    if isinstance(value, str):
        return int(value) if value.lstrip("-").isdigit() else float(value)
    return value


class Input:
    """An input tensor of the program; `storage` is its whole storage as a 1-d tensor."""

    def __init__(self, name, storage, tensor):
        self.name, self.storage, self.tensor = name, storage, tensor

    def whole(self):
        """Its storage as it is now: resize_ and out= may have made it larger, set_ another one."""
        memory = self.tensor.untyped_storage() if hasattr(self.tensor, "untyped_storage") else None
        if memory is None:
            return self.storage
        if memory.data_ptr() == self.storage.data_ptr() and memory.nbytes() <= self.storage.numel() * self.storage.element_size():
            return self.storage
        return torch.empty(0, dtype=self.storage.dtype, device=self.storage.device).set_(memory)


def build(inputs):
    placed, length, data = [], {}, {}
    for index, spec in enumerate(inputs):
        size, key = spec["size"], spec.get("storage", index)
        stride = spec.get("stride")
        if stride is None:
            stride, step = [], 1
            for n in reversed(size):
                stride.insert(0, step)
                step *= max(n, 1)
        offset = spec.get("storage_offset", 0)
        extent = 0 if 0 in size else offset + sum((n - 1) * s for n, s in zip(size, stride)) + 1
        length[key] = max(length.get(key, 0), extent)
        if "data" in spec:
            data[key] = spec["data"]
        placed.append((spec, key, size, stride, offset))
    storages, out = {}, []
    for spec, key, size, stride, offset in placed:
        dtype = DTYPES[spec["dtype"]]
        if key not in storages:
            given = data.get(key, {"fill": "zeros"})
            if isinstance(given, dict):
                storages[key] = fill(given["fill"], given.get("seed", 0), length[key], dtype)
            else:
                storages[key] = torch.tensor([number(v) for v in given], dtype=dtype)
        tensor = storages[key].as_strided(size, stride, offset).detach().requires_grad_(spec.get("requires_grad", False))
        out.append(Input(spec["name"], storages[key], tensor))
    return out
