"""The page people use, and the JSON door beside it: FastAPI, Jinja2 templates, htmx; no build step.

How to add a page: a file ``bridge/web/pages/<page>.py`` with a ``router``, a template of its name, and a line each in
``ROUTERS`` and (if it belongs into the navigation) ``NAVIGATION`` of ``bridge/web/pages/__init__.py``. Who is there is
a parameter: ``visit: Visitor``; what they may see is ``visit.user``'s and nobody else's. A route that changes something
is a POST; every router of pages is included with the check that such a request comes from our own pages.
"""
