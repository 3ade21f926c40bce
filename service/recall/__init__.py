"""Recall: every source at once under one deadline, fused, with what is current in front."""
