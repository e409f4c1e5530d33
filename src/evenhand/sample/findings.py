"""The stock of findings that the sample's reviews draw on: what was wrong, where, and the patch for it.

Plain data, each in a file of its own so that two of them never fuse into one mechanism. Which evidence a copy has,
and who found it, is decided in `reviews`.
"""

from __future__ import annotations

from typing import NamedTuple


class Stock(NamedTuple):
    """One problem and its fix."""

    lens: str
    purpose: str
    file: str
    line: int
    symbol: str
    title: str
    reason: str
    replaced: str
    replacement: str
    reach: str


STOCK = (
    Stock(
        "correctness", "defect", "src/core/queue.ts", 88, "drainQueue", "`drainQueue` drops the last item of a batch",
        "The loop stops one short whenever the batch length equals the window size, so one upload is lost.",
        "  for (let i = 0; i < batch.length - 1; i++) {", "  for (let i = 0; i < batch.length; i++) {",
        "every upload of a full window",
    ),
    Stock(
        "correctness", "defect", "lib/retry.py", 41, "backoff_delay", "`backoff_delay` grows without an upper bound",
        "After thirty attempts the exponent yields a delay of years; the caller sleeps and never reports failure.",
        "    delay = base * 2 ** attempt", "    delay = min(base * 2 ** attempt, MAX_DELAY)", "any peer that stays down",
    ),
    Stock(
        "security", "defect", "src/api/auth.ts", 132, "verifyToken", "`verifyToken` accepts the none algorithm",
        "The header chooses the algorithm, therefore an unsigned token passes verification for every account.",
        "  return jwt.verify(token, key);", '  return jwt.verify(token, key, { algorithms: ["ES256"] });',
        "unauthenticated requests",
    ),
    Stock(
        "security", "defect", "src/api/routes.ts", 57, "exportPath", "`exportPath` lets a name climb out of its folder",
        "A name with two dots is joined unchecked, which writes outside of the export directory on the server.",
        "  const target = path.join(root, name);", "  const target = path.join(root, path.basename(name));",
        "the public export form",
    ),
    Stock(
        "correctness", "defect", "lib/store.py", 210, "commit_batch", "`commit_batch` swallows the error of a full disk",
        "The exception is logged at debug level and the batch counts as stored, although nothing was written.",
        "    except OSError: log.debug('commit failed')", "    except OSError: raise", "a full volume",
    ),
    Stock(
        "tests", "hygiene", "tests/test_store.py", 19, "test_commit", "`test_commit` asserts before it calls",
        "The assertion reads the fixture, never the result, and would pass with an empty implementation too.",
        "    assert store.rows == [] ", "    assert store.commit_batch(rows) == len(rows)", "the test suite",
    ),
    Stock(
        "performance", "perf", "internal/cache/lru.go", 74, "Evict", "`Evict` walks the whole list at each insertion",
        "A linear scan under the lock makes insertion quadratic once the cache has reached its configured size.",
        "\tfor e := c.list.Front(); e != nil; e = e.Next() {", "\tif e := c.list.Back(); e != nil {",
        "a warm cache",
    ),
    Stock(
        "performance", "perf", "src/core/parser.ts", 301, "tokenize", "`tokenize` copies the rest of the input per token",
        "Slicing the remaining text for every token allocates quadratic memory with files beyond a megabyte.",
        "    rest = rest.slice(token.length);", "    offset += token.length;", "large files",
    ),
    Stock(
        "docs", "drift", "docs/guide.md", 12, "retry_limit", "The guide names a `retry_limit` that no longer exists",
        "The option was renamed two releases ago; a reader who follows this page gets an unknown key error.",
        "Set `retry_limit` to the number of attempts.", "Set `max_attempts` to the number of attempts.", "new users",
    ),
    Stock(
        "docs", "drift", "cmd/serve/main.go", 5, "listen", "The comment on `listen` promises a default that changed",
        "It says port eighty, whereas the flag has defaulted to eight thousand and eighty since the last release.",
        "// listen on port 80 unless told otherwise", "// listen on port 8080 unless told otherwise", "maintainers",
    ),
    Stock(
        "hygiene", "hygiene", "src/ui/table.tsx", 166, "renderRow", "`renderRow` keeps a flag that nothing reads",
        "The variable is assigned in three branches and never used afterwards, left over from the old layout.",
        "  let compact = props.dense ?? false;", "", "nobody",
    ),
    Stock(
        "correctness", "defect", "src/ui/dialog.tsx", 48, "trapFocus", "`trapFocus` loses the keyboard when a dialog empties",
        "With no focusable child the index becomes negative and the escape key stops working inside the dialog.",
        "    items[index - 1].focus();", "    (items[index - 1] ?? root).focus();", "keyboard users",
    ),
    Stock(
        "correctness", "defect", "pyproject.toml", 23, "dependencies", "The `dependencies` pin admits a broken release",
        "Version nine dot two was withdrawn for data loss, yet the range still lets the resolver pick it.",
        '  "ledger-client>=9",', '  "ledger-client>=9,!=9.2.0",', "fresh installations",
    ),
)  # fmt: skip
