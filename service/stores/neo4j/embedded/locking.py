"""Write `jars.lock` anew: `python -m service.stores.neo4j.embedded.locking`, for developers.

Resolves the coordinates of `resolve.py` with all that they depend on, and keeps what arrived with
its size and SHA-256, so that no user's machine has to resolve anything or trust a download.
"""

import hashlib
import tempfile
from pathlib import Path

from jgo.maven import MavenContext

from service.stores.neo4j.embedded.resolve import COORDINATES, LOCK_FILE


def write_lock(target: Path = LOCK_FILE) -> None:
    """Resolve and fetch everything into a folder that is thrown away; write the lock file."""
    with tempfile.TemporaryDirectory() as folder:
        context = MavenContext(repo_cache=Path(folder), timeout=30)
        roots = [context.create_dependency(coordinate) for coordinate in COORDINATES]
        _, nodes = context.resolver.get_dependency_list(roots)
        lines: list[str] = []
        for each in [*(root.artifact for root in roots), *(node.dep.artifact for node in nodes)]:
            content = each.resolve().read_bytes()
            group, name, version, classifier, _ = each.key
            coordinate = ":".join(part for part in (group, name, version, classifier) if part)
            digest = hashlib.sha256(content).hexdigest()
            lines.append(f"{digest} {len(content)} {coordinate}\n")
    target.write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    write_lock()
