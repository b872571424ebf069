"""Wishes in plain words, in English and German, read by a grammar of our own."""
