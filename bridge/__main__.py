"""Run the command ``bridge`` for ``python -m bridge``."""

from bridge.cli import main

main()
