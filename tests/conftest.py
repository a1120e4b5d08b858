"""What holds for every test: no deadline for an example, since a busy machine is not a fault of the code."""

from hypothesis import settings

settings.register_profile("tensorglass", deadline=None)
settings.load_profile("tensorglass")
