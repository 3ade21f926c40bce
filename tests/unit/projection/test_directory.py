"""What somebody types finds entities: by a beginning, by words, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.entity import Entity
from service.domain.names import canonical_name
from service.projection.directory import Directory, Fit, folded


def entity(name: str, number: int = 0) -> Entity:
    return Entity(f"e{number}", "s", name, canonical_name(name), None, 0)


def directory(*names: str) -> Directory:
    made = Directory()
    for number, name in enumerate(names):
        made.put(entity(name, number), (canonical_name(name),))
    return made


def fit(name: str, query: str) -> Fit | None:
    hits = directory(name).search(canonical_name(query))
    return hits[0].fit if hits else None


@pytest.mark.parametrize(
    ("name", "query", "expected"),
    [
        ("Build Cache", "build  cache", Fit.EXACT),
        ("Build Cache", "bu", Fit.BEGINNING),
        ("Build Cache", "cac", Fit.PART),
        ("Build Cache", "cache build", Fit.WORDS),
        ("Build Cache", "ca bu", Fit.WORDS),
        ("Build Cache", "uild", None),
        ("Build Cache", "build server", None),
        ("build_cache", "cache", Fit.PART),
        ("tb-1", "tb-", Fit.BEGINNING),
        ("old tb-1", "tb-", Fit.PART),
        ("tb-1", "tb 1", Fit.WORDS),
        ("Dock / Pier|9", "Dock / Pier|9", Fit.EXACT),
        ("Dock / Pier|9", "pier|9", Fit.PART),
        ("Dock / Pier|9", "9 dock", Fit.WORDS),
        ("Dock / Pier|9", "|", Fit.PART),
        ("C++", "c++", Fit.EXACT),
        ("C++", "c", Fit.BEGINNING),
        ("🚀 Launcher", "🚀", Fit.BEGINNING),
        ("José Álvarez", "josé álvarez", Fit.EXACT),
        ("José Álvarez", "jose alvarez", Fit.SAME_LETTERS),
        ("Jose Alvarez", "josé álvarez", Fit.SAME_LETTERS),
        ("José Álvarez", "alv", Fit.PART),
        ("Straße 9", "STRASSE", Fit.BEGINNING),
        ("İstanbul", "istanbul", Fit.SAME_LETTERS),
        ("Ёлка Новая", "елк", Fit.BEGINNING),
        ("Ёлка Новая", "нова", Fit.PART),
        ("Ёлка Новая", "овая", None),
        ("Αθήνα Κέντρο", "αθηνα", Fit.BEGINNING),
        ("Αθήνα Κέντρο", "ΚΈΝΤΡΟΣ", None),
        ("Νίκος", "νικοσ", Fit.SAME_LETTERS),
        ("混合检索设计", "检索", Fit.PART),
        ("混合检索设计", "混", Fit.BEGINNING),
        ("混合检索设计", "检设", None),
        ("東京タワー", "タワー", Fit.PART),
        ("กรุงเทพมหานคร", "มหานคร", Fit.PART),
        ("서울역 광장", "역", Fit.PART),
        ("서울역 광장", "광장", Fit.PART),
        ("مكتبة الإسكندرية", "مَكْتَبَة", Fit.BEGINNING),
        ("مكتبة الإسكندرية", "الاسكندرية", Fit.PART),
        ("हिन्दी भाषा", "भाषा", Fit.PART),
        ("हिन्दी भाषा", "हिन्दी", Fit.BEGINNING),
        ("ＡＰＩ Gateway", "api", Fit.BEGINNING),
    ],
)
def test_how_well_a_name_fits(name: str, query: str, expected: Fit | None) -> None:
    assert fit(name, query) == expected


def test_an_entity_is_found_by_each_of_its_names_and_counts_once() -> None:
    made = Directory()
    known = entity("build cache")
    made.put(known, ("build cache", "buildcache", "the old cache"))
    assert [hit.fit for hit in made.search("buildcache")] == [Fit.EXACT]
    assert [hit.fit for hit in made.search("cache")] == [Fit.PART]
    # No match goes over the border of two names.
    assert made.search("cache buildcache the") == []
    made.put(known, ("build cache",))
    assert made.search("buildcache") == []
    made.drop(known.id)
    made.drop(known.id)
    assert made.search("build") == []
    assert len(made) == 0


@given(st.text(min_size=1, max_size=12).filter(lambda text: canonical_name(text) != ""))
def test_every_name_is_found_by_itself_and_by_its_beginning(name: str) -> None:
    canonical = canonical_name(name)
    made = directory("something else", name)
    assert Fit.EXACT in {hit.fit for hit in made.search(canonical) if hit.entity.id == "e1"}
    begun = canonical[: max(1, len(canonical) // 2)]
    if folded(canonical).startswith(folded(begun)) and folded(begun):
        assert "e1" in {hit.entity.id for hit in made.search(begun)}


@given(st.text(max_size=12))
def test_any_text_can_be_asked_for(query: str) -> None:
    made = directory("a b", "Ünïcode", "混合", "|")
    assert len(made.search(canonical_name(query))) <= len(made)
