"""The sequence model: a small transformer that reads a person's slots, states a belief in three digits, then acts.

It belongs to the family of the seed's language model (one network that learned in simulation to read a person, frozen,
adapting in context), but it reads fields instead of words and chats with no one. ``reading`` makes its input,
``forward`` runs it in numpy, ``lab.training.llm.sequence`` trains it.
"""
