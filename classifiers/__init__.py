"""Hold the classifiers, one module each. The registry finds them by name in this folder."""
