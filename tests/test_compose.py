"""The containers: what the service needs is set, and nothing is published but on loopback."""

from pathlib import Path

import yaml

from service.config import AccessSettings, HttpSettings, Settings

COMPOSE = yaml.safe_load(
    (Path(__file__).parents[1] / "docker" / "compose.yaml").read_text(encoding="utf-8")
)


def test_the_service_needs_a_key_and_finds_its_graph() -> None:
    service = COMPOSE["services"]["palimpsest"]
    environment = service["environment"]
    assert environment["PALIMPSEST_ACCESS__KEY"].startswith("${PALIMPSEST_ACCESS__KEY:?")
    assert environment["NEO4J_PASSWORD"].startswith("${NEO4J_PASSWORD:?")
    assert environment["NEO4J_URI"] == "bolt://neo4j:7687"
    assert service["depends_on"] == {"neo4j": {"condition": "service_healthy"}}


def test_every_variable_is_a_setting() -> None:
    sections = {"ACCESS": AccessSettings, "HTTP": HttpSettings}
    for name in COMPOSE["services"]["palimpsest"]["environment"]:
        if not name.startswith("PALIMPSEST_"):
            continue
        section, _, field = name.removeprefix("PALIMPSEST_").partition("__")
        assert section.lower() in Settings.model_fields
        if section in sections:
            assert field.lower() in sections[section].model_fields


def test_ports_are_on_loopback_and_volumes_are_declared() -> None:
    for service in COMPOSE["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        named = {volume.partition(":")[0] for volume in service["volumes"]}
        assert named <= COMPOSE["volumes"].keys()
