"""`torch.utils.file_baton`: processes take turns by a file that only one of them can make."""

from __future__ import annotations

import os
import time
import warnings

__all__ = ["FileBaton"]


class FileBaton:
    """A baton that one process holds at a time: a file, which is there while it is held."""

    def __init__(self, lock_file_path: str, wait_seconds: float = 0.1, warn_after_seconds: float | None = None) -> None:
        self.lock_file_path = lock_file_path
        self.wait_seconds = wait_seconds
        self.warn_after_seconds = warn_after_seconds
        self.fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the baton if no other process has it; whether that went well."""
        try:
            self.fd = os.open(self.lock_file_path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        return True

    def wait(self) -> None:
        """Wait until the baton is released, and say once if that takes longer than `warn_after_seconds`."""
        start, is_told = time.monotonic(), self.warn_after_seconds is None
        while os.path.exists(self.lock_file_path):
            time.sleep(self.wait_seconds)
            if not is_told and time.monotonic() - start > (self.warn_after_seconds or 0):
                warnings.warn(f"Waited on lock file '{self.lock_file_path}' for a long time.", stacklevel=2)
                is_told = True

    def release(self) -> None:
        """Give the baton back: its file is removed."""
        if self.fd is not None:
            os.close(self.fd)
        os.remove(self.lock_file_path)
