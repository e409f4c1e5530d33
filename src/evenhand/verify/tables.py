"""Whether the tables hold the same rows in every form they are published in.

Belongs here: row digests of Parquet and CSV against each other and the data package; corpora and their commitments;
eval score records. Does not: figures.
"""

from typing import Any

from evenhand.verify.build import Build
from evenhand.verify.claims import Claims
from evenhand.verify.plain import NotReadableError, canonical, csv_line, read_csv, sha256

_EMPTY = sha256(b"[]")


def check_rows(build: Build, claims: Claims) -> None:
    """Each table's rows have the digest that is stated, whatever file holds them, and there are as many as stated."""
    for entry in build.document("datapackage.json")["resources"]:
        path = entry["path"]
        if "rowDigest" not in entry or not build.has(path):
            continue
        stated = f"{entry['rows']} rows, {entry['rowDigest']}"
        try:
            count, digest = _csv_rows(build, path, entry) if path.endswith(".csv") else _parquet_rows(build, path)
        except NotReadableError as error:
            claims.fail(f"rows: {path}", stated, str(error))
            continue
        claims.equal(f"rows: {path}", stated, f"{count} rows, sha256:{digest}")


def _parquet_rows(build: Build, path: str) -> tuple[int, str]:
    table = build.table(path)
    return table.count, table.digest


def _csv_rows(build: Build, path: str, entry: dict[str, Any]) -> tuple[int, str]:
    header, rows = read_csv(build.target.read(path), path)
    kinds = [field["type"] for field in entry["schema"]["fields"]]
    lines = [",".join(header)]
    for number, row in enumerate(rows, 1):
        if len(row) != len(kinds):
            raise NotReadableError(f"row {number} of {path} has {len(row)} cells and not {len(kinds)}")
        lines.append(",".join(_cell(value, kind) for value, kind in zip(row, kinds, strict=True)))
    return len(rows), sha256(("\n".join(lines) + "\n").encode())


def _cell(value: str | None, kind: str) -> str:
    """A text is quoted in the digest; every other value stands as it is."""
    return csv_line([value]) if kind == "string" else value or ""


def check_corpora(build: Build, claims: Claims) -> None:
    """Each JSON corpus has its checksum and is the beginning of the complete one."""
    index = build.document("v1/public/eval-corpus/index.json")["rules"]
    for rule, file in index.items():
        path = f"v1/public/eval-corpus/{file}"
        try:
            corpus = build.document(path)
            cases = corpus["cases"]
            claims.equal(f"corpus: {rule}: checksum", corpus["checksum"], sha256(canonical(cases).encode()))
            claims.equal(f"corpus: {rule}: number of cases", corpus["caseCount"], len(cases))
            claims.equal(f"corpus: {rule}: rule", rule, corpus["ruleId"])
            table = build.table(f"data/corpus/{file.removesuffix('.json')}.parquet")
            claims.equal(f"corpus: {rule}: truncated", table.count > len(cases), corpus["truncated"])
            differs = next(
                (
                    number
                    for number, (case, row) in enumerate(zip(cases, table.rows, strict=False), 1)
                    if canonical(case) != canonical(_case(dict(zip(table.columns, row, strict=True))))
                ),
                None,
            )
            claims.holds(
                f"corpus: {rule}: same cases as the Parquet",
                differs is None and (corpus["truncated"] or table.count == len(cases)),
                f"{len(cases)} cases in the same order",
                f"case {differs} differs" if differs else f"{table.count} cases in the Parquet",
            )
        except (NotReadableError, KeyError, TypeError, AttributeError) as error:
            claims.fail(f"corpus: {rule}", "a corpus and its complete snapshot", str(error))
    _check_all_rules(build, claims, len(index))


def _check_all_rules(build: Build, claims: Claims, rules: int) -> None:
    """The snapshot of all rules has as many cases as those of each."""
    try:
        whole = build.table("data/corpus/all_rules.parquet").count
        single = [path for path in build.table_paths() if path.startswith("data/corpus/") and "all_rules" not in path]
        claims.equal("corpus: cases of all rules", whole, sum(build.table(path).count for path in single))
        claims.equal("corpus: number of snapshots", rules, len(single))
    except NotReadableError as error:
        claims.fail("corpus: cases of all rules", "a readable snapshot", str(error))


def _case(row: dict[str, Any]) -> dict[str, Any]:
    case = {
        "ruleId": row["rule_id"],
        "outcome": row["outcome"],
        "label": row["label"],
        "firedAt": f"{row['fired_day']}T00:00:00.000Z",
        "decidedAt": f"{row['decided_day']}T00:00:00.000Z",
    }
    return case if row["confidence"] is None else case | {"metadata": {"confidence": row["confidence"]}}


def check_records(build: Build, claims: Claims) -> None:
    """Each score record has its digest, commits to the corpus that is there, and scores what the figures say."""
    index = build.document("v1/public/eval-corpus/index.json")["rules"]
    precision = {entry["ruleId"]: entry for entry in build.document("v1/public/stats.json")["rulePrecision"]["rules"]}
    scored = []
    for record in build.document("v1/public/eval-scores.json")["records"]:
        rule = record["workUnit"]["ruleId"]
        scored.append(rule)
        content = {name: value for name, value in record.items() if name != "recordDigest"}
        claims.equal(f"record: {rule}: digest", sha256(canonical(content).encode()), record["recordDigest"])
        if rule not in index:
            claims.fail(f"record: {rule}: corpus", "a published corpus", "none")
            continue
        corpus = build.document(f"v1/public/eval-corpus/{index[rule]}")
        claims.equal(f"record: {rule}: corpus", corpus["checksum"], record["commitments"]["corpusChecksum"])
        claims.holds(
            f"record: {rule}: corpus is whole",
            corpus["checksum"] != _EMPTY and not corpus["truncated"],
            "neither empty nor a prefix",
            "an empty corpus" if corpus["checksum"] == _EMPTY else "a prefix",
        )
        told, score = precision.get(rule, {}), record["score"]
        claims.equal(
            f"record: {rule}: score",
            (told.get("decided"), told.get("confirmed"), told.get("precision")),
            (score["decided"], score["confirmed"], score["precision"]),
        )
    claims.equal("record: one a rule", sorted(set(scored)), sorted(scored))
