"""What runs inside the sandboxes: `runner` executes a learner's cells, `referee` judges their results. They are two
processes in two sandboxes, joined only by a socket. The referee never executes a learner's code: answers reach it as
numbers and bytes, and a learner's function is called by asking the runner to call it. So a program that patches the
checks patches only its own copy of them.
"""
