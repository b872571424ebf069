"""Show the meters and the recommendation in Home Assistant by MQTT, and take answers from its buttons.

Nothing leaves without an address of a broker, and without the person's ``share``. What the broker retains is the only
memory: it is read after every connection, and what is no longer wanted is removed.
"""
