"""The one way the graph is changed: load what a change touches, decide by pure rules, write it."""
