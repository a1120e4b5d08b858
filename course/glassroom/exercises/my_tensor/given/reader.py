# A reader: two linear layers with a ReLU between them, and a loss.


def relu(a):
    def rule(grad):
        return (elementwise(lambda part, x: part if x > 0 else 0.0, grad, a.value),)

    return Node(elementwise(lambda x: max(x, 0.0), a.value), (a,), rule)


def turned(a):
    return Node(a.value.t(), (a,), lambda grad: (grad.t(),))  # a view: the rule is one, too


def linear(x, weight, bias):
    return add(matmul(x, turned(weight)), bias)


def softmax(scores):
    exponentials = [math.exp(score - max(scores)) for score in scores]
    whole = sum(exponentials)
    return [exponential / whole for exponential in exponentials]


def one_hot(labels, length):
    return [[float(place == label) for place in range(length)] for label in labels]


def cross_entropy(scores, labels):
    shares = [softmax(row) for row in scores.value.tolist()]
    surprise = -sum(math.log(row[label]) for row, label in zip(shares, labels)) / len(labels)

    def rule(grad):
        truth = tensor(one_hot(labels, len(shares[0])))
        return (grad * (1 / len(labels)) * (tensor(shares) - truth),)

    return Node(tensor(surprise), (scores,), rule)


class Reader:
    """Reads pictures: of each, a score for every digit. A weight has a row for each output, as in PyTorch."""

    def __init__(self, weight1, bias1, weight2, bias2):
        self.parameters = [Node(tensor(each)) for each in (weight1, bias1, weight2, bias2)]

    def __call__(self, pictures):
        weight1, bias1, weight2, bias2 = self.parameters
        return linear(relu(linear(pictures, weight1, bias1)), weight2, bias2)

    def learn(self, pictures, labels, rate):
        """Take one step downhill. Returns the loss before it."""
        loss = cross_entropy(self(Node(tensor(pictures))), labels)
        backward(loss, tensor(1.0))
        for parameter in self.parameters:
            parameter.value.add_(parameter.grad * -rate)
            parameter.grad = None
        return loss.value.item()
