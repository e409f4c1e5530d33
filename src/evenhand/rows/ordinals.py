"""Numbers in the place of pull requests: the same pull request has the same number in every table of a build.

Belongs here: the key and the ranking. Does not: which tables there are.

A pull request's place is the rank of its HMAC-SHA256 under a key that is the digest of all private rows of the lake:
the same for the same input, of no use to anyone without it, and another one in every build. Ranks, and not the codes
themselves, are published, so that nobody who guesses a name can check the guess.
"""

import hashlib
import hmac
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.manifest import LakeManifest


def ordinal_key(manifest: LakeManifest) -> bytes:
    """The digest of every row of the lake, for this use alone."""
    told = "".join(f"{name} {table.content_sha256}\n" for name, table in sorted(manifest.tables.items()))
    return hashlib.sha256(b"evenhand ordinals\n" + told.encode()).digest()


def with_ordinals(tables: dict[str, pa.Table], column: str, key: bytes) -> dict[str, pa.Table]:
    """The same tables with the texts of a column replaced by ranks from 1."""
    named = {name: table.column(column) for name, table in tables.items() if column in table.column_names}
    ranks = _ranks((text for texts in named.values() for text in pc.unique(texts).to_pylist()), key)
    replaced = dict(tables)
    for name, texts in named.items():
        encoded = texts.combine_chunks().dictionary_encode() if len(texts) else texts.combine_chunks()
        numbers = (
            pa.array([ranks[text] for text in encoded.dictionary.to_pylist()], pa.int64()).take(encoded.indices)
            if len(texts)
            else pa.array([], pa.int64())
        )
        place = tables[name].schema.get_field_index(column)
        replaced[name] = tables[name].set_column(place, column, numbers)
    return replaced


def _ranks(texts: Iterable[str], key: bytes) -> dict[str, int]:
    codes = sorted((hmac.digest(key, text.encode(), "sha256"), text) for text in set(texts))
    return {text: number for number, (_, text) in enumerate(codes, 1)}
