"""The first thing that runs in a sandbox: it takes its limits, for good, and becomes the runner or the referee."""

import json
import resource
import sys


def main() -> None:
    """Arguments: the limits as JSON, by their names in `resource`; "runner" or "referee"; the socket's number."""
    _, limits, part, number = sys.argv
    for name, most in json.loads(limits).items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))
    sys.argv = [part, number]
    if part == "runner":
        from glassroom.classroom.inside import runner

        runner.main()
    else:
        from glassroom.classroom.inside import referee

        referee.main()


if __name__ == "__main__":
    main()
