"""The system of record: Neo4j, spoken to through statements that stand in `cypher/`."""
