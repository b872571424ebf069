"""How a language model is taught to decide; needs ``pip install 'rhythm-bridge[llm-train]'``. See ``bridge llm``."""
