"""Hold the connectors, one folder per source. They are found by looking into this folder."""
