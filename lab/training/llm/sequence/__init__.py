"""Training of the sequence model; needs PyTorch (the laboratory's extra ``train``). ``bridge llm`` calls it."""
