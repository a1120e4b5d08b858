"""``python -m glassroom`` is the ``glassroom`` command, for when its folder is not on the PATH."""

import sys

from glassroom.cli import main

if __name__ == "__main__":
    sys.exit(main())
