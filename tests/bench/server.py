"""A service over generated vectors, in a process of its own: `python -m tests.bench.server`."""

import argparse
import logging
from pathlib import Path

import structlog
import uvicorn

from service.api.app import create_app
from service.config import read_settings
from tests.bench.generated import GeneratedEmbedder


def main() -> None:
    """Serve until terminated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--real-model", action="store_true", help="embed with the model set")
    args = parser.parse_args()
    quiet = structlog.make_filtering_bound_logger(logging.WARNING)
    structlog.configure(wrapper_class=quiet)
    settings = read_settings(data_dir=args.data_dir)
    embedder = None if args.real_model else GeneratedEmbedder()
    app = create_app(settings, embedder)
    uvicorn.run(app, host="127.0.0.1", port=args.port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
