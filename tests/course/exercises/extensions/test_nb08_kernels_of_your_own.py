"""What people answer wrongly in notebook 08 of part 4, and what the checks tell them."""

from exercise_answers import verdict_on, wrong_answers

COUNT = "bytes_composed, bytes_fused, launches_saved = "
PAYS = "activation, product, one_operator, many_small = "

SOFTSIGN = """
class Softsign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = {made}
        a = x.detach().numpy()
        numpy.divide(a, 1 + numpy.abs(a), out=y.numpy())
        ctx.save_for_backward({saved})
        return y

    @staticmethod
    def backward(ctx, gradient):
        y = ctx.saved_tensors[0]
        out = torch.empty_like(y)
        numpy.multiply(gradient.detach().numpy(), {slope}, out=out.numpy())
        return out
"""
SLOPE = "(1 - numpy.abs(y.detach().numpy())) ** 2"


def softsign(made="torch.empty_like(x)", saved="y", slope=SLOPE):
    return SOFTSIGN.format(made=made, saved=saved, slope=slope)


WRONG = [
    ("e08-softsign", "def Softsign(x): return x", "a class that derives from"),
    ("e08-softsign", softsign(made="x.detach()"), "the kernel wrote into `x`"),
    ("e08-softsign", softsign(saved="y, x"), "x need not be kept"),
    ("e08-softsign", softsign(slope="1 - numpy.abs(y.detach().numpy())"), "the gradient is not"),
    ("e08-softsign", softsign(slope="nothing"), "raised NameError"),
    ("e08-count", COUNT + "12_000_000, 8_000_000, 2", "reads *and* writes"),
    ("e08-count", COUNT + "24_000_000, 4_000_000, 2", "reads n elements and writes n"),
    ("e08-count", COUNT + "24_000_000, 8_000_000, 3", "One launch is left"),
    ("e08-pays", PAYS + "False, False, False, True", "need never be written"),
    ("e08-pays", PAYS + "True, True, False, True", "bound by arithmetic"),
    ("e08-pays", PAYS + "True, False, True, True", "nothing to fuse"),
    ("e08-pays", PAYS + "True, False, False, False", "1,600 launches"),
]

test_wrong_answer_is_told_what_it_shows = wrong_answers(WRONG)


def test_a_kernel_that_is_differentiable_once_passes_without_saying_so(torch):
    assert verdict_on(torch, "e08-softsign", softsign()).solved
