"""What a reading Cypher query may hold, decided from its text alone."""
