"""In front of an installed torch on the path: there is none."""

raise ImportError("no torch")
