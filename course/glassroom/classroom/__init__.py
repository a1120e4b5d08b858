"""The classroom: handing the course out, collecting learners' work, marking it, and looking at a class.

`course_file` reads what a teacher has decided, `handout` makes nbgrader's notebooks of the course's, `collecting` takes
submissions in, `sandbox` runs untrusted programs, `grading` and `batch` give marks, and `pages` shows them.
"""
