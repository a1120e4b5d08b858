"""A classroom on one machine: JupyterHub with a configuration that a teacher can read, and each learner in a
sandbox."""
