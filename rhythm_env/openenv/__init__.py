"""The simulator behind OpenEnv: a server that plays one week per WebSocket session, and its client.

Needs ``pip install 'rhythm-bridge[openenv]'``. Serve: ``uvicorn rhythm_env.openenv.server:app --port 8000``. A week is
played over the WebSocket only: the server's plain HTTP calls each get an environment of their own.
"""
