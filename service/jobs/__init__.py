"""Durable work in the background: kept in Neo4j, leased, tried again, found after a crash."""
