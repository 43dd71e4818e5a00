"""Settings of PyTorch's compilers that programs may carry (docs/reference/format.md, "compile"): NAME is LAYER.KEY, a key of torch/_LAYER/config.py. `known`
lists those that this PyTorch has, from which the harness draws; `apply` takes any."""
import importlib

LAYERS = {"dynamo": "torch._dynamo.config", "functorch": "torch._functorch.config", "inductor": "torch._inductor.config"}

# (setting, values other than the default). The modes are those that the layer is part of. A setting that this PyTorch lacks is left out.
TABLE = [
    ("dynamo.assume_static_by_default", [False]),
    ("dynamo.automatic_dynamic_shapes", [False]),
    ("dynamo.capture_dynamic_output_shape_ops", [True]),
    ("dynamo.capture_scalar_outputs", [True]),
    ("dynamo.enable_dynamo_decompositions", [False]),
    ("dynamo.recompile_limit", [1, 2]),
    ("dynamo.specialize_float", [True]),
    ("dynamo.specialize_int", [True]),
    ("functorch.activation_memory_budget", [0.0, 0.3, 0.5, 0.8]),
    ("functorch.aggressive_recomputation", [True]),
    ("functorch.ban_recompute_not_in_allowlist", [False]),
    ("functorch.ban_recompute_reductions", [False]),
    ("functorch.ban_recompute_used_far_apart", [False]),
    ("functorch.cse", [False]),
    ("functorch.donated_buffer", [False]),
    ("functorch.recompute_views", [True]),
    ("functorch.treat_parameters_as_free_to_save", [False]),
    ("functorch.view_replay_for_aliased_outputs", [False]),
    ("inductor.aggressive_fusion", [True]),
    ("inductor.allow_buffer_reuse", [False]),
    ("inductor.comprehensive_padding", [False]),
    ("inductor.constant_and_index_propagation", [False]),
    ("inductor.cpp.enable_concat_linear", [True]),
    ("inductor.cpp.enable_tiling_heuristics", [False]),
    ("inductor.cpp.fallback_scatter_reduce_sum", [False]),
    ("inductor.cpp.max_horizontal_fusion_size", [1, 64]),
    ("inductor.cpp.min_chunk_size", [1, 4096]),
    ("inductor.cpp.no_redundant_loops", [False]),
    ("inductor.cpp.simdlen", [0, 1, 256]),
    ("inductor.cpp_wrapper", [True]),
    ("inductor.dce", [True]),
    ("inductor.emulate_precision_casts", [True]),
    ("inductor.epilogue_fusion", [False]),
    ("inductor.freezing", [True]),
    ("inductor.inplace_buffers", [False]),
    ("inductor.joint_graph_constant_folding", [False]),
    ("inductor.loop_ordering_after_fusion", [False, True]),
    ("inductor.max_fusion_size", [1, 2, 8]),
    ("inductor.memory_planning", [True]),
    ("inductor.pattern_matcher", [False]),
    ("inductor.permute_fusion", [True]),
    ("inductor.realize_opcount_threshold", [1, 1000]),
    ("inductor.realize_reads_threshold", [1, 100]),
    ("inductor.reorder_for_locality", [False]),
    ("inductor.reorder_for_peak_memory", [False]),
    ("inductor.size_asserts", [False]),
    ("inductor.split_reductions", [False]),
    ("inductor.unroll_reductions_threshold", [1, 64]),
    ("inductor.use_joint_graph_passes", [False]),
    ("inductor.use_post_grad_passes", [False]),
    ("inductor.use_pre_grad_passes", [False]),
]


class Unknown(Exception):
    """This PyTorch has no such setting: the program is not supported."""


def read(config, key):
    for word in key.split("."):
        config = getattr(config, word)
    return config


def find(name):
    """The module of a setting and its key in there; Unknown if there is none."""
    layer, _, key = name.partition(".")
    try:
        config = importlib.import_module(LAYERS[layer])
        read(config, key)
    except (ImportError, KeyError, AttributeError):
        raise Unknown("this PyTorch has no compiler setting " + name) from None
    return config, key


def has_layer(mode, layer):
    generates_code, traces = mode.startswith("inductor"), mode != "aot" and not mode.startswith("eager")
    return generates_code if layer == "inductor" else traces if layer == "dynamo" else mode.startswith(("aot", "inductor"))


def known(modes):
    """{NAME: {"values": [...], "modes": [...]}} of the table's settings that this PyTorch has."""
    found = {}
    for name, values in TABLE:
        try:
            config, key = find(name)
        except Unknown:
            continue
        default = read(config, key)
        others = [value for value in values if value != default or type(value) is not type(default)]
        where = [mode for mode in modes if has_layer(mode, name.partition(".")[0])]
        if others and where:
            found[name] = {"values": others, "modes": where}
    return found


def apply(patched, given):
    """Sets the settings until the ExitStack is left."""
    for name, value in given.items():
        config, key = find(name)
        patched.enter_context(config.patch({key: value}))
