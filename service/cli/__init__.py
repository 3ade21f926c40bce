"""The command line: `palimpsest`."""
