"""An autograd graph drawn: folded until it fits, laid out in layers, as text and as SVG."""
