"""What the service counts, in the form that Prometheus reads."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from service.domain.recall import RecallAnswer

_REQUEST_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
_CHANNEL_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """The counts of one app, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._requests = Histogram(
            "palimpsest_http_request_seconds",
            "Time from the first byte of a request to the last of its answer.",
            ("method", "route", "status"),
            buckets=_REQUEST_BUCKETS,
            registry=self._registry,
        )
        self._channels = Histogram(
            "palimpsest_recall_channel_seconds",
            "Time that a source of a recall took.",
            ("channel",),
            buckets=_CHANNEL_BUCKETS,
            registry=self._registry,
        )
        self._outcomes = Counter(
            "palimpsest_recall_channel_outcomes",
            "How the sources of recalls fared.",
            ("channel", "status"),
            registry=self._registry,
        )

    def served(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request under the template of its route."""
        self._requests.labels(method, route, str(status)).observe(seconds)

    def recalled(self, answer: RecallAnswer) -> None:
        """Count how each source of a recall fared."""
        for name, report in answer.channels.items():
            self._outcomes.labels(name, report.status.value).inc()
            self._channels.labels(name).observe(report.took_ms / 1000)

    def exposition(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)
