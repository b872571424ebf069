"""``python -m bridge`` is ``bridge``."""

from bridge.cli import main

main()
