"""Training of a language model to decide. It needs the laboratory's extra ``llm-train``; see ``bridge llm``."""
