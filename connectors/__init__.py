"""Hold the connectors, each source's in a folder of its own. The bridge finds them by looking into this folder."""
