"""Running untrusted programs: the isolation that this system offers, and a watch over what runs in it."""

from glassroom.classroom.sandbox.isolation import BUBBLEWRAP, CAN_RUN, NAMESPACES, NONE, Isolation, best_isolation
from glassroom.classroom.sandbox.supervise import Outcome, dismiss_referee_of_this_thread, dismiss_referees, run_pair

__all__ = [
    "BUBBLEWRAP",
    "CAN_RUN",
    "NAMESPACES",
    "NONE",
    "Isolation",
    "Outcome",
    "best_isolation",
    "dismiss_referee_of_this_thread",
    "dismiss_referees",
    "run_pair",
]
