"""The course as files: its source notebooks, the learner's working copy of them, and how notebooks are run."""
