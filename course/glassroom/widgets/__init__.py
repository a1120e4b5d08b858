"""The live forms of the inspectors: each a small Python class, one JavaScript module and one style sheet.

Everything happens in the browser: once drawn, a live form needs no kernel.
"""
