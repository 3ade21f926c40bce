"""Palimpsest: a knowledge service for AI agents, and for the analysts who look over their shoulder."""
