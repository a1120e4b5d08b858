"""What PyTorch has and this library leaves out on purpose: by topic, with what to do instead.

Errors about missing names are looked up here. A topic is a pattern of paths ("compile", "Tensor.to_sparse",
"nn.quantized"), a description of what the names are about, and advice.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TOPICS = (
    (r"^distributed\.\w+_coalesced$", "operations on lists of tensors", "call the operation for each tensor"),
    (r"[dD]evice_?[mM]esh", "meshes of processes", "use torch.distributed.new_group and new_subgroups"),
    (r"^cpu\.", "streams of a device that is always there", "use torch.accelerator, and torch.autocast('cpu')"),
    (r"\brecord_stream$", "marks of memory that another stream uses", "call torch.cuda.synchronize() before"),
    (r"_make_wrapper_subclass$", "tensors with no elements of their own", "derive from torch.Tensor, use as_subclass"),
    (r"_python_dispatch|FunctionMode|^_subclasses|utils\.weak", "handlers of what operators are made of",
     "define __torch_function__, which sees operators"),
    (r"^__future__$", "switches of how modules are converted", "call module.to(), which changes parameters in place"),
    (
        r"sparse|coalesce|c?crow_|c?col_indices|crow|row_indices|Tensor\.(indices|values)$|(indices|values)_copy"
        r"|\bs?s?p?addmm$|\bsspaddmm|\bh?spmm|\bhsmm|\bdsmm|\bs?smm$|dense_dim|saddmm",
        "sparse tensors",
        "compute with dense tensors, or with scipy.sparse",
    ),
    (
        r"quant|\bqat|intrinsic|int_repr|\bq_|q(u)?int\d|Q(U)?Int\d|qscheme|per_(tensor|channel)_|fbgemm|\bao\b|fuse_|fusion",
        "quantized tensors and fused layers",
        "compute in float16 or bfloat16, which have half the bytes",
    ),
    (
        r"^jit\.(save|load|_serialization)|flatbuffer",
        "files of recorded programs",
        "save the network's state_dict() with torch.save, and load it into the class",
    ),
    (
        r"^jit\b|^_C\.[A-Z]|^_(dynamo|inductor|export|decomp|higher_order_ops|ops)\b|cpp_extension|compile|Script|\bfx\b|^export\b|\bexport$|\bonnx\b|import_ir|parse_ir|parse_schema|[sS]ym_?[A-Z]|\bsym_|\bcond$|while_loop"
        r"|\bgraph(s|_pool_handle)?$|CUDAGraph|make_graphed|functionalize|jiterator|Type$|Graph$|Graph|\bis_distributed$",
        "compilers and recorded programs",
        "call the function itself: programs run as they are written",
    ),
    (r"_copy$", "copies of views that compilers ask for", "write the view, and clone() behind it: x.t().clone()"),
    (r"(segment|index)_reduce_?$", "other forms of scatter_reduce", "use torch.scatter_reduce, index_add or cumsum"),
    (r"^histogramdd$", "histograms of points", "use torch.histogram, or numpy.histogramdd of their numpy()"),
    (r"\b(ormqr|orgqr)$", "products with reflections", "use torch.linalg.householder_product: it @ other multiplies"),
    (r"\btriangular_solve$", "older forms of linear algebra", "use torch.linalg.solve_triangular"),
    (r"linalg\.ldl_", "LDL factors", "use torch.linalg.eigh or cholesky, or scipy.linalg.ldl"),
    (r"linalg\.tensor(inv|solve)$", "equations between tensors of many dimensions",
     "reshape to matrices, and use torch.linalg.inv or torch.linalg.solve"),
    (r"^signal\b", "windows that record gradients", "use torch.hann_window and its siblings, or scipy.signal.windows"),
    (r"_polynomial_", "orthogonal polynomials", "use numpy.polynomial or scipy.special"),
    (r"fft\.i?hfft[2n]$", "Hermitian transforms of several dimensions", "use fft.fft along the others, then fft.hfft"),
    (r"chain_matmul|norm_except_dim", "older forms of linear algebra", "use linalg.multi_dot and linalg.vector_norm"),
    (r"as_strided_scatter|empty_permuted|^fill$", "operators that compilers make of others",
     "use clone and a write to its view, permute and full_like"),
    (r"linearize", "shortcuts for rare needs", "use func.jvp"),
    (r"unsafe_(split|chunk)|\bnonzero_static$|\bmap2?_$", "operators that only PyTorch's own code calls",
     "use split, chunk, nonzero and apply_"),
    (
        r"^mps\.|^backends\.|mkldnn|cudnn|miopen|_elemt|batch_norm_(stats|backward|gather|update)|vulkan|\b(is_)?(xla|ipu|mtia|maia|mps|cpp)$"
        r"|nccl|tunable|cublas|magma|green|Green|gds|kineto|has_(mkl|lapack|openmp|spectral)|_ipu|_xla|scaled_mm|grouped_mm",
        "libraries and devices that only PyTorch's own kernels use",
        "compute on 'cpu', on 'cuda', or on the simulated device 'sim'",
    ),
    (
        r"nested|jagged|[mM]asked_?[tT]ensor|padded_tensor",
        "nested and masked tensors",
        "pad sequences to one length (nn.utils.rnn.pad_sequence), and keep a mask",
    ),
    (
        r"^profiler\.|profiler_legacy|module_tracker|mobile_optimizer|_profiler?\b|nvtx|monitor|[bB]enchmark|flop_counter|collect_env|cudart|Logger|memory_usage|utilization|temperature|power_draw|clock_rate|jit_",
        "tools that measure devices and machines",
        "torch.profiler says how long operators take; glassroom's watch and memory_timeline show where memory goes",
    ),
    (
        r"^distributions\.",
        "rarer distributions and transforms",
        "derive a class from torch.distributions.Distribution or Transform, or use scipy.stats",
    ),
    (r"^nn\.attention\.|^nn\.parallel\.", "choices among PyTorch's implementations",
     "call nn.functional.scaled_dot_product_attention, nn.DataParallel or nn.parallel.DistributedDataParallel"),
    (r"^func\.|^(_C\.)?_functorch\b|^_vmap_internals\.|^cuda\.amp\.",
     "the inner parts of transformed functions and of autocast",
     "use the documented functions of torch.func and torch.amp"),
    (
        r"distributed\.(fsdp|tensor|pipelin|rpc|elastic|checkpoint|optim|algorithms|launch|run)",
        "ways to share a network among processes that are not DistributedDataParallel",
        "use torch.distributed's operations, or nn.parallel.DistributedDataParallel",
    ),
    (
        r"float8|float4|bits\d|\bbit$|\bu?int[1-7]$|complex32|chalf",
        "dtypes that NumPy has not",
        "convert to float16, bfloat16 or complex64",
    ),
    (r"[dD]ata[pP]ipe|DataChunk|_data_pipe|guaranteed_|determinism|runtime_validation|graph_settings|data\.graph|argument_validation",
     "data pipes", "write an IterableDataset, and give it to a DataLoader"),
    (r"\b(hub|model_zoo|package|classes|futures|fork|wait|Future|rpc)\b|Await|RRef",
     "packages, downloads and tasks of PyTorch's own runtime", "use pip, urllib and concurrent.futures"),
    (r"\b(eig|lstsq|matrix_rank|solve|symeig)$",
     "operators that PyTorch has removed", "use torch.linalg.eig, torch.linalg.lstsq, torch.linalg.matrix_rank, "
     "torch.linalg.solve or torch.linalg.eigh"),
    (r"Tensor\.prelu|conv_tbc|^embedding_bag$", "older forms of layers",
     "use torch.nn.functional.prelu, conv1d and embedding_bag"),
    (r"^optim\.\w+\.\w+$", "optimizers as functions", "use the class: torch.optim.Adam for torch.optim.adam.adam"),
    (r"^distributed\.", "the inner parts of torch.distributed", "use its operations, and DistributedDataParallel"),
    (r"^serialization\.", "parts of how PyTorch writes files", "use torch.save and torch.load"),
    (r"^library\.", "operators of several devices and compilers", "use torch.library.custom_op and register_autograd"),
    (r"^cuda\.",
     "control of CUDA's driver, allocators and streams beyond what teaching needs", "use PyTorch for it"),
)  # fmt: skip


#: Callbacks, called with each missing name that a program asks for.
heard_of_missing: list[Callable[[str], None]] = []


def tell_of_missing(path: str) -> None:
    """Report that a program asked for a name that is missing, such as "compile" or "Tensor.to_sparse"."""
    for report in heard_of_missing:
        report(path)


def about(path: str) -> str | None:
    """The note for a name that is left out, such as "compile" or "Tensor.to_sparse"; None for other names."""
    for pattern, topic, advice in _TOPICS:
        if re.search(pattern, path):
            return f"torch.{path} is out of scope here, as are {topic} in general. Instead, {advice}."
    return None


def is_probed(name: str) -> bool:
    """Whether the name belongs to a protocol of Python or IPython, which is probed on every object."""
    return name.startswith("_") and name.endswith("_")
