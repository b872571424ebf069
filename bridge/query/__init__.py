"""Exact answers over what is stored: a typed query, the rows it rests on, and its figures."""
