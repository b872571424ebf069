"""Show the meters and the recommendation in Home Assistant by MQTT, and take answers from its buttons.

Nothing is sent unless BRIDGE_MQTT_URL names a broker and the user's setting ``share`` is ``yes`` or ``titles``. The
messages that the broker retains are the only state. They are read after every connection, and those no longer wanted
are removed.
"""
