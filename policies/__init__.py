"""Hold the policies, one module each. The registry finds them by name in this folder. The laboratory adds others."""
