def add(c): pass
