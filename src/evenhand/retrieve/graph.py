"""The ONNX graph of a small BERT encoder with mean pooling, made from its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.plugins import need

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["GRAPH", "encoder"]

GRAPH = "bert-mean-1"  # the version of this file's graph: part of the embedder's seal
OPSET = 17
INLINE = 1024  # bytes up to which a constant stands in the graph itself


class _Graph:
    """Nodes and constants while the graph grows; every operation names its one output."""

    def __init__(self) -> None:
        self.onnx = need("onnx", extra="dense")
        self.nodes: list[Any] = []
        self.constants: dict[str, NDArray[Any]] = {}

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def const(self, name: str, value: Any, kind: type = np.float32) -> str:
        self.constants[name] = np.ascontiguousarray(np.asarray(value, dtype=kind))
        return name


def encoder(
    weights: Mapping[str, NDArray[np.float32]], *, heads: int = 12, epsilon: float = 1e-12
) -> tuple[bytes, dict[str, NDArray[Any]]]:
    """The graph ``input_ids, attention_mask (int64[b, s]) -> embedding (float32[b, d], length 1)``.

    Returns the serialised model and its large constants, which the model only names: onnxruntime takes
    them as external initialisers, so that no second copy of the weights lies on any disk.
    BERT (Devlin et al. 2019) with learned positions, erf GELU and mean pooling over the mask.
    """
    g = _Graph()
    words = weights["embeddings.word_embeddings.weight"]
    width = words.shape[1]
    size = width // heads
    for name, axis in (("zero", [0]), ("one", [1]), ("two", [2]), ("middle", [1, 2])):
        g.const(f"i_{name}", axis, np.int64)
    g.const("split", [0, 0, heads, size], np.int64)
    g.const("join", [0, 0, width], np.int64)
    g.const("f_one", 1.0)
    g.const("f_half", 0.5)
    g.const("f_root2", np.sqrt(2.0))
    g.const("f_far", -1e9)
    g.const("words", words)
    position = weights["embeddings.position_embeddings.weight"]
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    g.const("positions", (position + kind)[None])

    def norm(x: str, name: str) -> str:
        weight, bias = (
            g.const(f"{name}.w", weights[f"{name}.weight"]),
            g.const(f"{name}.b", weights[f"{name}.bias"]),
        )
        return g.op("LayerNormalization", x, weight, bias, axis=-1, epsilon=epsilon)

    def linear(x: str, name: str, scale: float = 1.0) -> str:
        weight = g.const(f"{name}.w", weights[f"{name}.weight"].T * np.float32(scale))
        bias = g.const(f"{name}.b", weights[f"{name}.bias"] * np.float32(scale))
        return g.op("Add", g.op("MatMul", x, weight), bias)

    length = g.op("Slice", g.op("Shape", "input_ids"), "i_one", "i_two", "i_zero")
    place = g.op("Slice", "positions", "i_zero", length, "i_one")
    x = norm(g.op("Add", g.op("Gather", "words", "input_ids"), place), "embeddings.LayerNorm")
    mask = g.op("Cast", "attention_mask", to=1)
    hidden = g.op("Mul", g.op("Sub", "f_one", mask), "f_far")
    hidden = g.op("Unsqueeze", hidden, "i_middle")
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        p = f"encoder.layer.{layer}."
        query = g.op("Reshape", linear(x, f"{p}attention.self.query", size**-0.5), "split")
        keys = g.op("Reshape", linear(x, f"{p}attention.self.key"), "split")
        value = g.op("Reshape", linear(x, f"{p}attention.self.value"), "split")
        query = g.op("Transpose", query, perm=[0, 2, 1, 3])
        keys = g.op("Transpose", keys, perm=[0, 2, 3, 1])
        value = g.op("Transpose", value, perm=[0, 2, 1, 3])
        share = g.op("Softmax", g.op("Add", g.op("MatMul", query, keys), hidden), axis=-1)
        mixed = g.op("Transpose", g.op("MatMul", share, value), perm=[0, 2, 1, 3])
        mixed = linear(g.op("Reshape", mixed, "join"), f"{p}attention.output.dense")
        x = norm(g.op("Add", mixed, x), f"{p}attention.output.LayerNorm")
        inner = linear(x, f"{p}intermediate.dense")
        erf = g.op("Add", g.op("Erf", g.op("Div", inner, "f_root2")), "f_one")
        inner = g.op("Mul", g.op("Mul", inner, erf), "f_half")
        x = norm(g.op("Add", linear(inner, f"{p}output.dense"), x), f"{p}output.LayerNorm")
        layer += 1
    seen = g.op("Mul", x, g.op("Unsqueeze", mask, "i_two"))
    total = g.op("ReduceSum", seen, "i_one", keepdims=0)
    mean = g.op("Div", total, g.op("ReduceSum", mask, "i_one", keepdims=1))
    unit = g.op("Div", mean, g.op("ReduceL2", mean, axes=[1], keepdims=1))
    return _serialise(g, unit, width)


def _serialise(g: _Graph, output: str, width: int) -> tuple[bytes, dict[str, NDArray[Any]]]:
    helper, proto = g.onnx.helper, g.onnx.TensorProto
    g.nodes.append(helper.make_node("Identity", [output], ["embedding"]))
    large = {name: array for name, array in g.constants.items() if array.nbytes > INLINE}
    tensors = []
    for name, array in g.constants.items():
        if name in large:
            tensor = proto(name=name, data_type=proto.FLOAT, dims=array.shape, data_location=proto.EXTERNAL)
            entry = tensor.external_data.add()
            entry.key, entry.value = "location", "given-at-load"
        else:
            tensor = g.onnx.numpy_helper.from_array(array, name)
        tensors.append(tensor)
    graph = helper.make_graph(
        g.nodes,
        GRAPH,
        [
            helper.make_tensor_value_info(name, proto.INT64, ["b", "s"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("embedding", proto.FLOAT, ["b", width])],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="evenhand")
    model.ir_version = 8
    return model.SerializeToString(), large
