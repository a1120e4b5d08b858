"""Pages that people look at: feedback for a learner, a class for its teacher. Each is one file, alone."""

from glassroom.classroom.pages.overview import ClassPage, class_page

__all__ = ["ClassPage", "class_page"]
