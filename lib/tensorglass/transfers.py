"""``tensorglass.transfers``: the log of what was copied from one memory to another."""

from tensorglass.backends.transfer_log import KEPT, Transfer, count, observed, since

__all__ = ["KEPT", "Transfer", "count", "observed", "since"]
