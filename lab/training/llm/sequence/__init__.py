"""Training of the sequence model; needs PyTorch (``pip install 'rhythm-bridge[train]'``). ``bridge llm`` calls it."""
