import torch

def f(x0, x1, x2, x3, x4, x5, x6, x7, v8, v7):
    v1 = x2.abs()
    v2 = v1.add(3)
    v3 = v2.neg()
    v4 = x3.argmin(keepdim=True)
    v5 = v4.argmin(keepdim=True)
    v6 = torch.ops.aten.instance_norm.default(x0, x4, x4, x5, x6, False, 0.5, 0.001, True)
    x0.zero_()
    return v4, v6, v7, v8, v5, v3, v2, v1

def run(f):
    x0 = torch.tensor([1.4433972835540771, -0.7328630685806274, 0.3175511062145233, -0.3998970687389374, -1.6459451913833618, -1.880052089691162, -0.37179282307624817, -0.781241774559021, 0.5222888588905334, -0.5072484016418457, -1.3292709589004517, 0.5514661073684692, -0.39128339290618896, -1.0672781467437744, 1.396886944770813, 0.16727708280086517, 0.339354544878006, 0.43303030729293823, 0.6979534029960632, -1.7708107233047485, 1.7949950695037842, 1.5449892282485962, 1.6251050233840942, 0.6158215403556824, -0.39457467198371887, -0.3491933047771454, 1.587765097618103, -1.786220669746399, -0.5431063175201416, -1.7185859680175781]).as_strided([3, 5, 2], [1, 3, 15], 0)
    x1 = torch.tensor([15, 7, 16, 9, -5, 16, -13, 6, -13], dtype=torch.int16).as_strided([3, 3], [1, 3], 0)
    x2 = torch.tensor([3, 13], dtype=torch.int8).as_strided([2], [1], 0)
    x3 = torch.tensor([0.0787515640258789, 1.318452000617981, -1.6115891933441162, -1.3507071733474731]).as_strided([2], [1], 2)
    x4 = torch.tensor([1.5, 0.875, -0.375, 0.375, -1.375]).requires_grad_()
    x5 = torch.tensor([0.7640305161476135, -0.07276089489459991, -1.3226642608642578, 0.4468938708305359, -1.538475513458252])
    x6 = torch.tensor([3.0, 4.0, 1.0, 1.0, 4.0])
    x7 = torch.tensor(-5, dtype=torch.int32)
    v8 = torch.tensor(4)
    v7 = torch.tensor(4)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, v8, v7)
    v4, v6, v7, v8, v5, v3, v2, v1, = r
    torch.autograd.backward([v6, v6], grad_tensors=[v6, v6])
    torch.autograd.backward([r[1]], [torch.tensor([[[-1.875, -0.125], [-2.0, -1.875], [-1.0, 0.875], [-0.5, 0.75], [-1.5, -0.375]], [[0.25, -0.875], [-1.375, 1.625], [0.75, 1.625], [1.5, 1.375], [-0.125, -1.625]], [[-1.5, -1.25], [-1.5, 1.125], [1.0, 1.875], [1.125, 1.0], [-1.0, -1.625]]])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
