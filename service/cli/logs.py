"""How log lines are written: by structlog, those of libraries included."""

import logging
import sys
from collections.abc import Sequence

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import Processor

from service.config import LogSettings

_QUIET = ("uvicorn", "httpx", "httpcore", "neo4j", "jgo", "asyncio")
"""Libraries that are heard from warnings on."""


def configure_logging(settings: LogSettings) -> None:
    """Write log lines to standard error from now on: for people, or as one JSON object each."""
    before: Sequence[Processor] = (
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_renderers(settings),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _renderers(settings: LogSettings) -> Sequence[Processor]:
    # A traceback never shows the values of variables: memories are among them.
    if settings.format == "json":
        plain = ExceptionDictTransformer(show_locals=False)
        return (
            structlog.processors.ExceptionRenderer(plain),
            structlog.processors.JSONRenderer(),
        )
    return (
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        ),
    )
