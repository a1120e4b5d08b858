"""The words of the course, each in a sentence or two."""

from glassroom.translations.templates import word

GLOSSARY = {
    word("accumulate"): "To add to what is there. Gradients accumulate in a leaf's `grad` until it is cleared.",
    word(
        "advanced index"
    ): "An index with a list, an integer tensor or a mask in it. Reading it copies; assigning writes.",
    word("alias"): "A second tensor over the same bytes.",
    word("allocator"): "What hands out memory, and keeps freed blocks for the next tensor.",
    word("autograd"): "What records operators as they run, and computes derivatives from the record.",
    word("backward"): "The walk from a result to the leaves, which computes gradients.",
    word("basic index"): "An index of integers, slices, `None` and `...`. It gives a view.",
    word("broadcasting"): "Treating sizes of 1, and missing ones, as long as the other operand's, without copying.",
    word("byte"): "Eight bits. A `float32` has four bytes, an `int64` eight.",
    word("cell"): "The place of one element in a storage, counted from 0.",
    word("contiguous"): "Laid out so that reading order is storage order, without gaps.",
    word("copy"): "A tensor with a storage of its own that holds the same values.",
    word("device"): "Where a storage lies and kernels run: `cpu`, `cuda`, or the simulated `sim`.",
    word("dtype"): "The type of the elements: `float32`, `int64`, `bool`, …",
    word("element"): "One number of a tensor.",
    word(
        "gradient"
    ): "The derivatives of one number with respect to each element of a tensor; it has the tensor's shape.",
    word("graph"): "The record of a computation: nodes, and edges to the nodes of their inputs.",
    word("header"): "What a tensor is besides its bytes: size, stride, offset, dtype, and which storage.",
    word("hook"): "A function that autograd calls with a gradient as it passes.",
    word("in-place"): "Writing a result into the tensor it is computed from: `x += 1`, `x.add_(1)`.",
    word("kernel"): "The code that computes elements. (In Jupyter: the Python process of a notebook.)",
    word("leaf"): "A tensor that no recorded operator has made. Gradients arrive in the `grad` of leaves.",
    word("mask"): "A tensor of `bool` used as an index.",
    word(
        "NaN"
    ): '"Not a number": a floating-point value for results that are not numbers, such as 0 / 0. It equals nothing.',
    word("node"): "One recorded operator; `grad_fn` of its result.",
    word("offset"): "The cell of the storage at which a tensor begins.",
    word("operator"): "A function of tensors that the library offers: `add`, `view`, `matmul`.",
    word("pinned memory"): "Memory of the host that a device can read directly, and so faster.",
    word("reduction"): "An operator that makes one number of many: `sum`, `mean`, `amax`.",
    word("reference cycle"): "Objects that hold each other. Only the garbage collector frees them.",
    word("saved tensor"): "A tensor that a node keeps because its derivative needs it.",
    word("shape, size"): "The lengths of a tensor's dimensions.",
    word("storage"): "A run of bytes on one device. One or more tensors are headers on it.",
    word("stride"): "How many cells further the next element of a dimension lies.",
    word("transfer"): "A copy from the memory of one device to that of another.",
    word(
        "version"
    ): "A counter of the writes into a storage, by which autograd notices that a saved tensor was overwritten.",
    word("view"): "A tensor that shares the storage of another one.",
}
