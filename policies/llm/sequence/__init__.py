"""Hold the sequence model, a small transformer that reads a person's slots, states a belief, then acts.

``reading`` makes its input, ``forward`` runs it in numpy, and ``lab.training.llm.sequence`` trains it.
"""
