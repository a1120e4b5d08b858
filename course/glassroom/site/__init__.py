"""The course and the documentation as a static web site, for ``glassroom site``.

Every notebook runs once, with the inspectors' live forms, and becomes a page. Sphinx, MyST-NB and furo make the pages;
nothing on them is loaded from another host.
"""
