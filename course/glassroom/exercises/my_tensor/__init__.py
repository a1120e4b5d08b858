"""`keep`: what a learner writes in three notebooks grows into a library of their own, `my_tensor.py`.

`keep` puts a part of it together, `answers` finds the lines of the learner's own functions, `parts` is the file as it
lies in the working copy, `trials` are the small tests of each part. `given/` has the lines that the notebooks give.
"""
