"""Copies of the graph made for reading: how they follow it, and how they are compared with it."""
