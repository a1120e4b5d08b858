"""What people answer on functions with a backward of their own, and what the checks tell them."""

from exercise_answers import right_answers, wrong_answers

REVERSE = """
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return {result}

    @staticmethod
    def backward(ctx, gradient):
        return {gradients}
"""
REVERSE_AS_A_FUNCTION = "def Reverse(x, strength): return -strength * x"

MATMUL = """
class Matmul(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a @ b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        return {gradients}
"""
MATMUL_IN_THE_FIRST_STYLE = """
class Matmul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        return gradient @ b.t(), a.t() @ gradient
"""
MATMUL_WITH_STATEMENTS = """
class Matmul(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return torch.matmul(a, b)

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b = inputs
        ctx.save_for_backward(a, b)

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        for_a = for_b = None
        if ctx.needs_input_grad[0]:
            for_a = gradient.matmul(b.T)
        if ctx.needs_input_grad[1]:
            for_b = a.T.matmul(gradient)
        return for_a, for_b
"""
FOR_A, FOR_B = "gradient @ b.t()", "a.t() @ gradient"
IF_A, IF_B = "if ctx.needs_input_grad[0] else None", "if ctx.needs_input_grad[1] else None"

KEEP = "input_tensor, output_tensor, factor, size, noise = "

SOFTPLUS = """
class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = {forward}
        ctx.save_for_backward({saved})
        return y

    @staticmethod
    def backward(ctx, gradient):
        (kept,) = ctx.saved_tensors
        return {gradient}
"""
STABLE = "x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))"
SOFTPLUS_ONCE = """
class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        return gradient * torch.sigmoid(ctx.saved_tensors[0])
"""

ROOT = """
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        root = x.sqrt()
        {save}
        return root

    @staticmethod
    def backward(ctx, gradient):
        {kept} = ctx.saved_tensors
        return {gradient}
"""
ROOT_ON_CTX = """
class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.root = x.sqrt()
        return ctx.root

    @staticmethod
    def backward(ctx, gradient):
        return gradient / (2 * ctx.root)
"""
SAVE = "ctx.save_for_backward(root)"
SPLIT = """
class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        whole = x.floor()
        fraction = x - whole
        {mark}
        return {results}

    @staticmethod
    def backward(ctx, {arguments}):
        return {gradient}
"""
MARK = "ctx.mark_non_differentiable(whole)"


def split(mark=MARK, results="fraction, whole", arguments="for_fraction, for_whole", gradient="for_fraction"):
    return SPLIT.format(mark=mark, results=results, arguments=arguments, gradient=gradient)


WRITTEN = """
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.save_for_backward(x); ctx.strength = strength
        return x.view_as(x)
    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        x.grad = -ctx.strength * gradient
        return {returned}, None
"""
ON_THE_CLASS = """
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        Reverse.strength = strength
        return x.view_as(x)
    @staticmethod
    def backward(ctx, gradient):
        return -Reverse.strength * gradient, None
"""
SPLIT_WRITTEN = """
class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        whole = x.floor()
        ctx.mark_non_differentiable(whole); ctx.save_for_backward(x)
        return x - whole, whole
    @staticmethod
    def backward(ctx, for_fraction, for_whole):
        (x,) = ctx.saved_tensors
        x.grad = for_fraction
        return None
"""

WRONG = [
    ("e01-reverse", WRITTEN.format(returned="None"), "backward writes into x.grad"),
    ("e01-reverse", WRITTEN.format(returned="x.grad"), "backward writes into x.grad"),
    ("e01-reverse", ON_THE_CLASS, "each application has a ctx of its own"),
    ("e01-split", SPLIT_WRITTEN, "backward writes into x.grad"),
    ("e01-matmul", MATMUL.format(gradients=f"[{FOR_A} {IF_A}, {FOR_B} {IF_B}]"), "A list counts as one thing"),
    ("e01-matmul", MATMUL.format(gradients=f"{FOR_A} {IF_A}, {FOR_B} {IF_B.replace('None', '...')}"), "dots stand"),
    (
        "e01-reverse",
        REVERSE.format(result="x.view_as(x)", gradients="-ctx.strength * gradient"),
        "gradients are needed: one for each argument of forward",
    ),
    (
        "e01-reverse",
        REVERSE.format(result="x.view_as(x)", gradients="ctx.strength * gradient, None"),
        "the minus, which reverses it",
    ),
    (
        "e01-reverse",
        REVERSE.format(result="x.view_as(x)", gradients="torch.full_like(gradient, -ctx.strength), None"),
        "does not depend on what arrives",
    ),
    ("e01-reverse", REVERSE.format(result="x.view_as(x)", gradients="-gradient, None"), "keeps the strength"),
    ("e01-reverse", REVERSE.format(result="x.view_as(x)", gradients="None, None"), "no gradient goes on to `x`"),
    ("e01-reverse", REVERSE.format(result="-x", gradients="-ctx.strength * gradient, None"), "holds"),
    (
        "e01-reverse",
        REVERSE.format(result="x.view_as(x)", gradients="gradient.mul_(-ctx.strength), None"),
        "writes into the gradient that arrives",
    ),
    (
        "e01-reverse",
        REVERSE.format(result="x.view_as(x)", gradients="-ctx.strength, None"),
        "neither a tensor nor None",
    ),
    (
        "e01-reverse",
        REVERSE.format(result="x.view_as(x)", gradients="-ctx.strength * gradient, None").replace("@staticmethod", ""),
        "`Reverse.forward` is not static",
    ),
    (
        "e01-reverse",
        REVERSE.format(result="x.view_as(x)", gradients="-gradient, None").replace(
            "(ctx, x, strength)", "(x, strength)"
        ),
        "Only beside a setup_context does forward take no ctx",
    ),
    ("e01-reverse", REVERSE_AS_A_FUNCTION, "a class that derives from"),
    ("e01-reverse", "Reverse = 3", "a class that derives from"),
    ("e01-matmul", MATMUL.format(gradients=f"{FOR_A}, {FOR_B}"), "computed for nothing"),
    ("e01-matmul", MATMUL.format(gradients=f"{FOR_A} {IF_A}, {FOR_B}"), "computed for nothing"),
    ("e01-matmul", MATMUL.format(gradients=f"{FOR_A} {IF_B}, {FOR_B} {IF_A}"), "was left out"),
    (
        "e01-matmul",
        MATMUL.format(gradients=f"{FOR_A} {IF_A}"),
        "gradients are needed: one for each argument of forward",
    ),
    ("e01-matmul", MATMUL.format(gradients=f"gradient @ b.t() * 2 {IF_A}, {FOR_B} {IF_B}"), "the gradient of a"),
    ("e01-matmul", MATMUL.format(gradients=f"{FOR_B} {IF_B}, {FOR_A} {IF_A}"), "shape [3, 2] for argument 0"),
    ("e01-matmul", MATMUL_IN_THE_FIRST_STYLE, "is written in the first style"),
    (
        "e01-matmul",
        MATMUL.replace("forward(a, b)", "forward(ctx, a, b)").format(gradients=f"{FOR_A} {IF_A}, {FOR_B} {IF_B}"),
        "forward has no ctx",
    ),
    (
        "e01-matmul",
        MATMUL.format(gradients=f"for_a {IF_A}, for_b {IF_B}").replace(
            "        return for_a", f"        for_a, for_b = {FOR_A}, {FOR_B}\n        return for_a"
        ),
        "both products are computed, and one is thrown away",
    ),
    ("e01-matmul", "def Matmul(a, b): return a @ b", "a class that derives from"),
    ("e01-keep", KEEP + "'attribute', 'save', 'attribute', 'attribute', 'save'", "go unnoticed"),
    ("e01-keep", KEEP + "'save', 'attribute', 'attribute', 'attribute', 'save'", "closes a cycle"),
    ("e01-keep", KEEP + "'save', 'save', 'save', 'attribute', 'save'", "takes tensors"),
    ("e01-keep", KEEP + "'save', 'save', 'attribute', 'save', 'save'", "It is not a tensor"),
    ("e01-keep", KEEP + "'save', 'save', 'attribute', 'attribute', 'attribute'", "freed by the backward"),
    ("e01-keep", KEEP + "1, 2, 3, 4, 5", 'it should be "attribute" or "save"'),
    (
        "e02-softplus",
        SOFTPLUS.format(forward="torch.log(1 + torch.exp(x))", saved="x", gradient="gradient * torch.sigmoid(kept)"),
        "`Softplus.apply(x)",
    ),
    ("e02-softplus", SOFTPLUS.format(forward=STABLE, saved="x", gradient="torch.sigmoid(kept)"), "is not multiplied"),
    (
        "e02-softplus",
        SOFTPLUS.format(forward=STABLE, saved="torch.sigmoid(x)", gradient="gradient * kept"),
        "there is no second one",
    ),
    (
        "e02-softplus",
        SOFTPLUS.format(forward=STABLE, saved="x", gradient="(gradient * torch.sigmoid(kept)).detach()"),
        "there is no second one",
    ),
    (
        "e02-softplus",
        SOFTPLUS.format(forward=STABLE, saved="x", gradient="gradient * torch.exp(kept) / (1 + torch.exp(kept))"),
        "what backward returns where 2 arrives",
    ),
    (
        "e02-softplus",
        SOFTPLUS.format(forward=STABLE, saved="x", gradient="gradient / (1 + torch.exp(-kept))"),
        "a nan in the second",
    ),
    (
        "e02-softplus",
        SOFTPLUS.format(forward=STABLE, saved="x", gradient="gradient * (torch.sigmoid(kept) + kept - kept.detach())"),
        "the second derivative, times 2,",
    ),
    ("e02-root", ROOT_ON_CTX, "keeps a tensor as `ctx.root`"),
    (
        "e02-root",
        ROOT.format(save="ctx.save_for_backward(x, root)", kept="(x, root)", gradient="gradient / (2 * root)"),
        "2 tensors are saved",
    ),
    (
        "e02-root",
        ROOT.format(save="ctx.save_for_backward(x)", kept="(x,)", gradient="gradient / (2 * x.sqrt())"),
        "x was saved",
    ),
    (
        "e02-root",
        ROOT.format(save="ctx.save_for_backward(root.clone())", kept="(root,)", gradient="gradient / (2 * root)"),
        "the second one is not",
    ),
    ("e02-root", ROOT.format(save=SAVE, kept="(root,)", gradient="1 / (2 * root)"), "is not multiplied"),
    (
        "e02-root",
        ROOT.format(save=SAVE, kept="(root,)", gradient="gradient / root"),
        "what backward returns where 2 arrives",
    ),
    ("e02-softplus", SOFTPLUS_ONCE, "there is no second one"),
    ("e02-softplus", "def Softplus(x): return x", "a class that derives from"),
    ("e01-reverse", "class Reverse: pass", "does not derive from torch.autograd.Function"),
    ("e01-split", split(arguments="gradient", gradient="gradient"), "one gradient for each result of forward"),
    ("e01-split", split(mark=""), "as every result does that is not marked"),
    ("e01-split", split(mark="ctx.mark_non_differentiable(x.floor())"), "you marked one tensor and returned another"),
    ("e01-split", split(mark="ctx.mark_non_differentiable(whole, fraction)"), "only `whole` should be marked"),
    ("e01-split", split(results="whole, fraction"), "the other way around"),
    ("e01-split", split(results="fraction", arguments="for_fraction"), "not a tuple of two"),
    ("e01-split", split(gradient="for_whole"), "the gradient of x"),
    (
        "e01-split",
        split(gradient="(for_fraction, for_whole)"),
        "gradients are needed: one for each argument of forward",
    ),
]

ALSO_RIGHT = [
    ("e02-root", ROOT.format(save=SAVE, kept="(root,)", gradient="0.5 * gradient * root.pow(-1)")),
    ("e02-root", ROOT.format(save=SAVE, kept="[root]", gradient="gradient.div(root).mul(0.5)")),
    ("e01-reverse", REVERSE.format(result="x.clone()", gradients="gradient.neg() * ctx.strength, None")),
    ("e01-reverse", REVERSE.format(result="x", gradients="-ctx.strength * gradient, None")),
    ("e01-matmul", MATMUL_WITH_STATEMENTS),
    (
        "e01-matmul",
        MATMUL.format(gradients=f"{FOR_A} if a.requires_grad else None, {FOR_B} if b.requires_grad else None"),
    ),
    ("e02-softplus", SOFTPLUS.format(forward=STABLE, saved="y", gradient="gradient * (1 - torch.exp(-kept))")),
    ("e01-split", split(gradient="for_fraction + for_whole")),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)
test_another_right_answer_is_right = right_answers(ALSO_RIGHT)
