"""Palimpsest: a memory service for agents, and for analysts who look over their shoulder."""
