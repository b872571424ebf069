"""Serve the web pages, the JSON interface and the push server, with FastAPI, Jinja2 templates and htmx.

To add a page, write ``bridge/web/pages/<page>.py`` with a ``router`` and a template of the same name. Add the router to
``ROUTERS`` in ``bridge/web/pages/__init__.py``, and a page of the navigation to a section of ``NAVIGATION`` in
``bridge/web/render.py``. A route takes the parameter ``visit: Visitor`` and shows data of ``visit.user`` only. A route
that changes data is a POST. Every POST to a page is checked to come from a page of the bridge.
"""
