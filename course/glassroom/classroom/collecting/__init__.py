"""Collecting submissions: from a folder, from the zip files of Moodle and Canvas, from nbgrader's exchange. Each oddity
is reported in one line, and nothing is lost: an attempt that a later one replaces, a file whose learner or assignment
is unclear, and a file that is no notebook are all kept under `collected/`. Names in archives are never used as paths to
write to: all such paths are made here. Who handed a file in, and when, is decided by what the LMS, nbgrader or the
teacher wrote, never by what lies inside a learner's own folder or zip file.
"""

from glassroom.classroom.collecting.collect import collect
from glassroom.classroom.collecting.names import safe_name
from glassroom.classroom.collecting.submitted import Collected, delivered_as, person_of

__all__ = ["Collected", "collect", "delivered_as", "person_of", "safe_name"]
