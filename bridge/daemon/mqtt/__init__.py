"""Show the meters and the recommendation in Home Assistant by MQTT, and take answers from its buttons."""
