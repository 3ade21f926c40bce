"""Queries built from tokens and filters, with each scope's own inverse document frequency."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tantivy import FieldType, Occur, Query, Schema, Searcher

from service.domain.filters import TextFilters
from service.stores.tantivy.lengths import BM25_K1
from service.stores.tantivy.schema import (
    ANY_KIND,
    CREATED,
    ENTITY,
    EVENT,
    KIND,
    OWNER,
    SUPERSEDED,
    TERMS,
    TYPE,
    YES,
    Channel,
    scope_key,
    term,
)

_MAX_TERMS = 128


@dataclass(frozen=True, slots=True)
class ScoredQuery:
    """A query (None when nothing can match) and the highest score any text could reach."""

    query: Query | None
    maximum: float
    held: Query | None = None
    """Scores a text by the sum of idf over the query's terms that it holds."""


def inverse_document_frequency(documents: int, with_term: int) -> float:
    """BM25's ln(1 + (N - n + 0.5) / (n + 0.5)), positive and finite for 0 <= n <= N."""
    with_term = min(with_term, documents)
    return math.log1p((documents - with_term + 0.5) / (with_term + 0.5))


def scored_query(
    searcher: Searcher,
    schema: Schema,
    channel: Channel,
    scope: str,
    tokens: Sequence[str],
    filters: TextFilters,
) -> ScoredQuery:
    """A BM25 query over one channel of one scope; no term weighs more than idf·(k1 + 1).

    The library weighs a term by its frequency in the whole index; a boost replaces that by its
    frequency in the scope, so that no score depends on how many memories other scopes hold. Of
    very long queries the rarest `128` terms count.
    """
    key = scope_key(channel, scope)
    indexed = searcher.doc_freq(KIND, ANY_KIND)
    in_scope = searcher.doc_freq(OWNER, key)
    weighted: list[tuple[float, float, str]] = []
    maximum = 0.0
    for token in dict.fromkeys(tokens):
        text = term(key, token)
        frequency = searcher.doc_freq(TERMS, text)
        idf = inverse_document_frequency(in_scope, frequency)
        maximum += idf * (BM25_K1 + 1)
        if frequency:
            weighted.append((idf, idf / inverse_document_frequency(indexed, frequency), text))
    if not weighted:
        return ScoredQuery(None, maximum)
    weighted.sort(reverse=True)
    terms = [
        (idf, boost, Query.term_query(schema, TERMS, text, "freq"))
        for idf, boost, text in weighted[:_MAX_TERMS]
    ]
    words = Query.boolean_query(
        [(Occur.Should, Query.boost_query(query, boost)) for _, boost, query in terms]
    )
    held = Query.boolean_query(
        [(Occur.Should, Query.const_score_query(query, idf)) for idf, _, query in terms]
    )
    clauses = _clauses(schema, filters)
    if clauses:
        words = Query.boolean_query([(Occur.Must, words), *clauses])
    return ScoredQuery(words, maximum, held)


def _clauses(schema: Schema, filters: TextFilters) -> list[tuple[Occur, Query]]:
    """The filters as clauses that score nothing."""
    required: list[Query] = []
    if filters.types is not None:
        required.append(Query.term_set_query(schema, TYPE, filters.types))
    if filters.entity_id is not None:
        required.append(Query.term_query(schema, ENTITY, filters.entity_id, "basic"))
    if filters.since_us is not None or filters.until_us is not None:
        last = None if filters.until_us is None else filters.until_us - 1
        required.append(_between(schema, CREATED, filters.since_us, last))
    if filters.as_of_us is not None:
        required.append(_between(schema, EVENT, None, filters.as_of_us))
    clauses = [(Occur.Must, Query.const_score_query(query, 0.0)) for query in required]
    if not filters.include_superseded:
        # They are few: to leave them out is cheaper than to look each other one up.
        clauses.append((Occur.MustNot, Query.term_query(schema, SUPERSEDED, YES, "basic")))
    return clauses


def _between(schema: Schema, field: str, first: int | None, last: int | None) -> Query:
    """Both ends belong to it."""
    return Query.range_query(schema, field, FieldType.Integer, lower_bound=first, upper_bound=last)
