"""What an answer says of the tensors that a call returns, and of its inputs."""
import math

import torch

from inputs import DTYPE_NAMES


def element(value):
    if isinstance(value, float):
        if value != value:
            return "nan"
        if value in (math.inf, -math.inf):
            return "inf" if value > 0 else "-inf"
        return "-0.0" if value == 0 and math.copysign(1, value) < 0 else value
    if not isinstance(value, bool) and abs(value) > 1 << 53:
        return str(value)
    return value


def elements(tensor):
    if tensor._is_zerotensor():  # second derivatives of abs: zeros without memory
        tensor = torch.zeros(tensor.size(), dtype=tensor.dtype)
    flat = tensor.detach().reshape(-1)
    values = flat.tolist()
    if len(values) <= 64:
        return [element(value) for value in values]
    if flat.is_floating_point():  # of many values, JSON writes most as they are
        odd = ~flat.isfinite() | flat.eq(0)
    elif flat.dtype == torch.int64:
        odd = flat.gt(1 << 53) | flat.lt(-(1 << 53))
    else:
        return values
    for index in odd.nonzero().reshape(-1).tolist():
        values[index] = element(values[index])
    return values


def address(tensor):
    if tensor._is_zerotensor():  # it has no memory
        return None
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return storage.data_ptr() if storage.nbytes() else None


def grad_record(grad):
    return None if grad is None else {"size": list(grad.shape), "data": elements(grad)}


def locations(tensor):
    """The bytes that it addresses, counted from the beginning of its storage."""
    reach = sum((n - 1) * s for n, s in zip(tensor.size(), tensor.stride())) + 1
    spots = torch.arange(reach).as_strided(tensor.size(), tensor.stride()).reshape(-1).unique() + tensor.storage_offset()
    return (spots.unsqueeze(1) * tensor.element_size() + torch.arange(tensor.element_size())).reshape(-1)


class Memory:
    """What a write to a gradient would change too: inputs, arguments that the setup made, returns and earlier gradients, in this order."""

    def __init__(self, inputs, made, returns):
        self.owners = [("input:" + given.name, given.tensor) for given in inputs]
        self.owners += [("arg:" + name, tensor) for name, tensor in made]
        self.owners += [("return:%d" % index, tensor) for index, tensor in enumerate(returns)]

    def owner(self, grad):
        where = address(grad) if grad.numel() else None
        same = [(name, tensor) for name, tensor in self.owners if where and tensor.numel() and address(tensor) == where]
        return next((name for name, tensor in same if torch.isin(locations(grad), locations(tensor)).any()), None)

    def record(self, grad, name):
        if grad is None:
            return None
        record = {**grad_record(grad), "requires_grad": grad.requires_grad, "alias": self.owner(grad)}
        self.owners.append(("grad:" + name, grad))
        return record


def overlaps_itself(tensor):
    """Do two index tuples address one location?"""
    reach, seen = 0, True
    for stride, size in sorted((s, n) for s, n in zip(tensor.stride(), tensor.size()) if n > 1):
        seen = seen and stride > reach
        reach += stride * (size - 1)
    if tensor.numel() <= 1 or seen:
        return False
    spots = torch.arange(reach + 1).as_strided(tensor.size(), tensor.stride())
    return spots.unique().numel() < tensor.numel()


def return_records(returns, inputs, fresh):
    records, owners = [], {}
    for given in inputs:
        owners.setdefault(address(given.tensor), "input:" + given.name)
    owners.pop(None, None)
    leaves = [tensor.is_leaf for tensor in returns]
    for index, tensor in enumerate(returns):
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            raise AttributeError("return %d is a %s, not a tensor" % (index, type(tensor).__name__))
        where = address(tensor)
        records.append({"dtype": DTYPE_NAMES[tensor.dtype], "size": list(tensor.size()), "data": elements(tensor)})
        if not fresh:
            records[-1].update({"stride": list(tensor.stride()), "storage_offset": tensor.storage_offset(), "alias": owners.get(where),
                                "requires_grad": tensor.requires_grad, "is_leaf": leaves[index]})
        if where is not None:
            owners.setdefault(where, "return:%d" % index)
    return records


def same_elements(a, b):
    return a.size() == b.size() and bool(((a == b) | ((a != a) & (b != b))).all())


class Kept:
    """What a call returned, to be looked at again: nothing but writes through what shares its memory may change it."""

    def __init__(self, returns):
        self.returns = [tensor.detach() for tensor in returns]
        self.changed = set()
        self.note()

    def note(self):
        """What is there now is what is expected later."""
        self.copies = [tensor.clone() if within_memory(tensor) else None for tensor in self.returns]

    def look(self):
        for index, (tensor, copy) in enumerate(zip(self.returns, self.copies)):
            if copy is None or not within_memory(tensor) or not same_elements(tensor, copy):
                self.changed.add(index)


def look_again(kept):
    for one in kept:
        if one:
            one.look()


def within_memory(tensor):
    """Is the memory as large as the tensor says? resize_ of the storage may have made it smaller."""
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    reach = tensor.storage_offset() + sum((n - 1) * s for n, s in zip(tensor.size(), tensor.stride())) + 1
    return tensor.numel() == 0 or tensor._is_zerotensor() or reach * tensor.element_size() <= storage.nbytes()


def input_record(given, memory):
    """`memory` is None after an error, when gradients are not compared."""
    tensor = given.tensor
    grad = memory.record(tensor.grad, "input:" + given.name) if memory else grad_record(tensor.grad)
    return {"name": given.name, "requires_grad": tensor.requires_grad, "is_leaf": tensor.is_leaf, "version": tensor._version,
            "size": list(tensor.size()), "stride": list(tensor.stride()), "storage_offset": tensor.storage_offset(),
            "data": elements(given.whole()), "grad": grad}


def argument_record(name, tensor, inputs, memory):
    """As of an input, with the elements of the tensor and not of its storage, the rest of which kernels may leave as it was. `.grad` only if it has one of its
    own; no data if it shares memory with an input, whose record has them. Whether a view is a leaf is not asked: the answer makes its grad_fn anew, or raises."""
    plain = not tensor._is_view()
    record = {"name": name, "requires_grad": tensor.requires_grad, **({"is_leaf": tensor.is_leaf} if plain else {}), "version": tensor._version,
              "size": list(tensor.size()), "stride": list(tensor.stride()), "storage_offset": tensor.storage_offset()}
    if address(tensor) not in [address(given.tensor) for given in inputs] and within_memory(tensor):
        record["data"] = elements(tensor)
    if plain and (tensor.is_leaf or tensor.retains_grad):
        record["grad"] = memory.record(tensor.grad, "arg:" + name) if memory else grad_record(tensor.grad)
    return {**record, "x-dtype": DTYPE_NAMES[tensor.dtype]}


def poke(returns, inputs):
    for index, tensor in enumerate(returns):
        if not overlaps_itself(tensor):
            tensor.detach().fill_(index + 1)
    return {"returns": [elements(tensor) for tensor in returns], "inputs": [elements(given.whole()) for given in inputs]}
