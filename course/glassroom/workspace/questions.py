"""The questions that people ask most, and the notebooks that answer each; the one with the whole answer comes first."""

from __future__ import annotations

from typing import NamedTuple

from glassroom.translations.templates import word


class Question(NamedTuple):
    """A question in the words in which people ask it, and the places of the notebooks that answer it."""

    number: int
    text: str
    answered_by: tuple[str, ...]


QUESTIONS: dict[str, list[Question]] = {
    word("Views"): [
        Question(1, "What does `view` do?", ("1_memory/02_views_share_a_storage", "1_memory/07_view_or_reshape")),
        Question(2, "What does −1 mean in it?", ("1_memory/02_views_share_a_storage", "1_memory/07_view_or_reshape")),
        Question(3, "`view` or `reshape`?", ("1_memory/07_view_or_reshape",)),
        Question(4, "`permute`, `transpose` or `view`?", ("1_memory/07_view_or_reshape",)),
        Question(5, "What does `contiguous()` do?", ("1_memory/06_contiguity",)),
        Question(6, "Contiguous or not: what is the difference, and when does it matter?", ("1_memory/06_contiguity",)),
        Question(
            7,
            '*"view size is not compatible with input tensor\'s size and stride"*: why does `view` fail after a '
            "transpose, and which non-contiguous tensors *can* be viewed?",
            ("1_memory/07_view_or_reshape",),
        ),
        Question(
            8,
            "Why do dimensions of size 1 have odd strides and still count as contiguous?",
            ("1_memory/06_contiguity",),
        ),
        Question(9, "`expand` or `repeat`?", ("1_memory/05_strides_and_offset",)),
        Question(
            10,
            "Does broadcasting use less memory than `expand`?",
            ("2_tensors/07_broadcasting", "1_memory/05_strides_and_offset"),
        ),
        Question(
            11,
            "Why does writing into an expanded tensor raise?",
            ("1_memory/05_strides_and_offset",),
        ),
        Question(12, "What can go wrong in a line like `a -= a[:, :1]`?", ("1_memory/08_in_place_and_clone",)),
        Question(13, "What may `as_strided` reach?", ("1_memory/05_strides_and_offset",)),
    ],
    word("Storage and copies"): [
        Question(
            14,
            "Why are `id(x.storage())` equal or unequal?",
            ("1_memory/09_the_storage_object", "1_memory/02_views_share_a_storage"),
        ),
        Question(15, "Do two tensors share memory?", ("1_memory/02_views_share_a_storage",)),
        Question(16, "Why the warning about TypedStorage?", ("1_memory/09_the_storage_object",)),
        Question(17, "Does indexing copy?", ("1_memory/03_basic_indexing", "1_memory/04_advanced_indexing_copies")),
        Question(
            18,
            "Why does `x[[1, 3]].fill_(0)` change nothing, while `x[[1, 3]] = 0` does?",
            ("1_memory/04_advanced_indexing_copies",),
        ),
        Question(
            19,
            "Why is the saved file of a small slice large?",
            ("2_tensors/14_saving_and_loading", "1_memory/03_basic_indexing", "1_memory/09_the_storage_object"),
        ),
        Question(
            20,
            "Why does a small slice keep a large tensor alive?",
            ("1_memory/03_basic_indexing", "1_memory/09_the_storage_object"),
        ),
        Question(21, "How large is a tensor really?", ("1_memory/01_header_and_storage",)),
        Question(
            22,
            "Which copy should I use: `clone`, `detach`, `copy_`, `tensor`?",
            ("1_memory/08_in_place_and_clone", "1_memory/02_views_share_a_storage"),
        ),
        Question(
            23,
            "What shares memory with NumPy, and what about read-only arrays?",
            ("2_tensors/12_numpy_shares_memory", "1_memory/01_header_and_storage"),
        ),
        Question(24, "Why are there no negative strides?", ("1_memory/03_basic_indexing",)),
        Question(25, "`torch.tensor` or `torch.Tensor`?", ("2_tensors/02_creating_tensors",)),
        Question(26, '*"expected scalar type Float but found Double"*: why?', ("2_tensors/04_dtypes_and_conversion",)),
        Question(27, "When does `pin_memory` help?", ("2_tensors/16_moving_and_pinning",)),
        Question(
            28,
            "What do `share_memory_` and `resize_` do?",
            ("2_tensors/18_sharing_between_processes", "1_memory/09_the_storage_object"),
        ),
    ],
    word("Autograd"): [
        Question(
            29,
            '*"a leaf Variable that requires grad is being used in an in-place operation"*: why?',
            ("3_autograd/06_in_place_and_versions",),
        ),
        Question(
            30,
            '*"one of the variables needed for gradient computation has been modified by an inplace '
            'operation"*: which one, and where?',
            ("3_autograd/06_in_place_and_versions",),
        ),
        Question(
            31,
            '*"Trying to backward through the graph a second time"*: why not, and why does a graph of '
            "additions allow it?",
            ("3_autograd/02_the_graph_and_backward", "3_autograd/07_what_keeps_memory_alive"),
        ),
        Question(
            32,
            '*"element 0 of tensors does not require grad"*: what is missing?',
            ("3_autograd/02_the_graph_and_backward",),
        ),
        Question(
            33,
            '*"grad can be implicitly created only for scalar outputs"*: what is the `gradient` argument?',
            ("3_autograd/03_gradient_arguments", "4_extensions/05_jacobians_and_forward_mode"),
        ),
        Question(
            34,
            "Why is `.grad` `None`?",
            ("3_autograd/01_requires_grad_and_leaves", "3_autograd/05_intermediate_gradients"),
        ),
        Question(35, "Why `zero_grad`?", ("3_autograd/03_gradient_arguments",)),
        Question(
            36,
            "`detach`, `clone`, `no_grad` or `.data`?",
            ("3_autograd/04_detach_and_no_grad", "3_autograd/06_in_place_and_versions"),
        ),
        Question(37, "Why must I `detach` before `numpy()`?", ("3_autograd/04_detach_and_no_grad",)),
        Question(38, "What do hooks see, and when?", ("3_autograd/05_intermediate_gradients",)),
        Question(
            39,
            "`save_for_backward`, or an attribute of `ctx`? And the second derivative of a function of my own?",
            (
                "4_extensions/01_custom_functions",
                "4_extensions/02_functions_that_save_little",
                "4_extensions/03_checking_gradients",
                "4_extensions/04_higher_order_derivatives",
            ),
        ),
        Question(40, "Why does keeping the loss leak memory?", ("3_autograd/07_what_keeps_memory_alive",)),
    ],
}
