"""The simulator for OpenEnv, as a server that plays a week per WebSocket session, and its client.

Needs the laboratory's extra ``openenv``. Serve with ``uvicorn lab.environments.openenv.server:app --port 8000``. Plain
HTTP calls do not share an environment, so a week needs the WebSocket.
"""
