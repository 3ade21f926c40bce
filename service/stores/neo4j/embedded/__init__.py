"""A Neo4j Community server of the service's own, run as a child process.

Neo4j Community and Neo4j Browser are GPLv3 programs. They are fetched by the machine that uses
them, run as a process of their own, and are no part of this package.
"""
