"""Running untrusted programs: the isolation that this system offers, and a watch over what runs in it."""

from glassroom.classroom.sandbox.isolation import BUBBLEWRAP, CAN_RUN, NAMESPACES, NONE, Isolation, best_isolation
from glassroom.classroom.sandbox.supervise import Outcome, dismiss_referees, leave_referee, run_pair

__all__ = [
    "BUBBLEWRAP",
    "CAN_RUN",
    "NAMESPACES",
    "NONE",
    "Isolation",
    "Outcome",
    "best_isolation",
    "dismiss_referees",
    "leave_referee",
    "run_pair",
]
