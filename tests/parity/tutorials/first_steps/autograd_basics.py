"""Gradients: leaves and nodes, detaching, accumulating, Jacobians, a function of one's own, hooks on tensors."""

import torch
from torch.autograd import Function, Variable

torch.manual_seed(1)
x = torch.ones(5)
y = torch.zeros(3)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(f"Gradient function for z = {type(z.grad_fn).__name__}")
print(f"Gradient function for loss = {type(loss.grad_fn).__name__}")
loss.backward()
print(w.grad)
print(b.grad)

print(z.requires_grad)
with torch.no_grad():
    z = torch.matmul(x, w) + b
print(z.requires_grad)
z = torch.matmul(x, w) + b
print(z.detach().requires_grad)

inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad)
print(-2 * b == b.grad)
old = Variable(torch.ones(2, 2), requires_grad=True)
print(old, type(old) is torch.Tensor)


class LegendrePolynomial3(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


v = torch.linspace(-1, 1, 5, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(LegendrePolynomial3.apply, (v,)))
p3 = LegendrePolynomial3.apply(v)
print(p3)
p3.register_hook(lambda g: g * 2)
p3.sum().backward()
print(v.grad)
print(torch.autograd.functional.jacobian(lambda t: t.exp().sum(1), torch.randn(2, 2)))
print(torch.autograd.functional.hessian(lambda t: t.pow(3).sum(), torch.arange(3.0)))
second = torch.tensor(0.5, requires_grad=True)
(first,) = torch.autograd.grad(second.sin(), second, create_graph=True)
(curvature,) = torch.autograd.grad(first, second)
print(first, curvature)
try:
    loss.backward()
except RuntimeError as error:
    print(str(error).split(".")[0])
try:
    torch.ones(2, requires_grad=True).add_(1)
except RuntimeError as error:
    print(error)
