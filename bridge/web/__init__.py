"""Serve the web pages, the JSON interface and the push server, with FastAPI, Jinja2 templates and htmx.

A new page is ``pages/<page>.py`` with a ``router`` in ``ROUTERS``, and a template of the same name.
"""
