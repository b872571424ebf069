"""Training of the sequence model, which ``bridge llm`` calls. It needs PyTorch (the laboratory's extra ``train``)."""
