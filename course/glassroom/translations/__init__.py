"""The course in other languages: English is the only source, and catalogues of messages make the others.

`language` decides which one is used; `catalogue` reads and merges the catalogues; `templates` finds and replaces the
sentences in Python code, which `loading` does as modules are imported; `notebooks` does the same with notebooks;
`extraction` assigns sentences to catalogues, and `checking` finds errors in translations.
"""
