"""The simulator behind OpenEnv, with a server that plays a week per WebSocket session, and its client.

Needs the laboratory's extra ``openenv``. Serve: ``uvicorn lab.environments.openenv.server:app --port 8000``. A
week is played over the WebSocket only: the server's plain HTTP calls each get an environment of their own.
"""
