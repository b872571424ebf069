"""Training of a language model to decide. It needs ``pip install 'rhythm-lab[llm-train]'``; see ``bridge llm``."""
