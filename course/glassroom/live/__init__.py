"""What the live forms of inspectors share: scripts, style sheets, and how they come into a page.

Everything happens in the browser: once drawn, a live form needs no kernel.
"""
