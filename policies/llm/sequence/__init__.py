"""Hold the sequence model, a small transformer that reads a person's slots, states a belief in three digits, then acts.

Like a language model it learned in simulation to read a person. It adapts to the person by its input alone. It reads
numbers instead of words. ``reading`` makes its input, ``forward`` runs it in numpy, and ``lab.training.llm.sequence``
trains it.
"""
