"""A lake is complete or absent, and the same rows are the same bytes."""

import fcntl
import gzip
import hashlib
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.exports import every_table, write_sqlite
from support.folders import KINDS, to_folder

from evenhand.errors import LakeError, SourceError
from evenhand.lake import writing
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.reading import open_lake_manifest, table_files, table_schema
from evenhand.lake.tables import TABLES
from evenhand.lake.writing import write_lake
from evenhand.sources import open_source

GOLDEN = Path(__file__).parents[2] / "golden" / "fairness"


def event(number: int, created_at: str = "2026-05-01T12:00:00.000Z", **values: object) -> dict[str, object]:
    return {"id": f"e{number}", "event_type": "x", "metadata_json": "{}", "created_at": created_at, **values}


def extract(source: Path, lake: Path, **options: int) -> LakeManifest:
    with open_source(str(source)) as opened:
        return write_lake(opened, lake, **options)


def contents(lake: Path) -> dict[str, str]:
    """Digest of every file of a lake by its path, the manifest apart."""
    return {
        str(path.relative_to(lake)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(lake.rglob("*"))
        if path.is_file() and path.name != "lake.json"
    }


def unpacked(case: str, folder: Path) -> Path:
    path = folder / "export.sqlite"
    path.write_bytes(gzip.decompress((GOLDEN / case / "export.sqlite.gz").read_bytes()))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_export_gives_the_same_lake(kind: str, tmp_path: Path) -> None:
    export = unpacked("open-hand-06", tmp_path)
    one = extract(export, tmp_path / "lake")
    other = extract(to_folder(export, tmp_path / kind, kind), tmp_path / "other")
    assert contents(tmp_path / "other") == contents(tmp_path / "lake")
    assert other.tables["audit_events"].quarantined == one.tables["audit_events"].quarantined


def test_neither_the_order_of_rows_nor_the_number_of_processes_changes_a_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = unpacked("open-hand-08", tmp_path)
    extract(export, tmp_path / "one", workers=1)
    shuffled = tmp_path / "shuffled.sqlite"
    with sqlite3.connect(shuffled) as connection:
        connection.execute("ATTACH ? AS given", (str(export),))
        for name in TABLES:
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given.{name} ORDER BY random()")
    monkeypatch.setattr(writing, "SMALL_EXPORT_BYTES", 0)
    extract(export, tmp_path / "two", workers=2)
    extract(shuffled, tmp_path / "three", workers=2)
    expected = contents(tmp_path / "one")
    assert contents(tmp_path / "two") == expected
    # Positions of quarantined rows are rowids, which shuffling changes.
    ours = {path: digest for path, digest in contents(tmp_path / "three").items() if path != "quarantine.parquet"}
    assert ours == {path: digest for path, digest in expected.items() if path != "quarantine.parquet"}


def test_a_bucket_sorted_on_disk_has_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export = unpacked("open-hand-05", tmp_path)
    extract(export, tmp_path / "memory")
    monkeypatch.setattr("evenhand.lake.assembly.IN_MEMORY_BYTES", 0)
    extract(export, tmp_path / "disk")
    assert contents(tmp_path / "disk") == contents(tmp_path / "memory")


def test_row_groups_do_not_depend_on_how_rows_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.lake import assembly

    monkeypatch.setattr(assembly, "ROW_GROUP_ROWS", 10)
    rows = pa.table({"ts_us": pa.array(range(47)), "id": [str(number) for number in range(47)]})
    written = []
    for size in (1, 3, 10, 25, 47):
        target = tmp_path / f"{size}.parquet"
        assert assembly.write_rows(target, rows.schema, (rows.slice(at, size) for at in range(0, 47, size))) == 47
        written.append(target.read_bytes())
    assert len(set(written)) == 1
    assert pq.ParquetFile(tmp_path / "3.parquet").metadata.num_row_groups == 5


def test_files_are_by_day_and_in_total_order(tmp_path: Path) -> None:
    rows = [
        event(2, "2026-05-02T00:00:00.000Z"),
        event(3, "2026-05-01T23:59:59.999Z"),
        event(1, "2026-05-01T23:59:59.999Z", target_key="b"),
        event(1, "2026-05-01T23:59:59.999Z", target_key="a"),
        event(1, "2026-05-01T23:59:59.999Z", target_key=None),
        event(4, "2026-05-01 00:00:00"),
    ]
    extract(write_sqlite(tmp_path / "e.sqlite", {"audit_events": rows}), tmp_path / "lake")
    manifest = open_lake_manifest(tmp_path / "lake")
    first, second = table_files(tmp_path / "lake", manifest, "audit_events")
    assert (first.name, second.name) == ("2026-05-01.parquet", "2026-05-02.parquet")
    read = pq.read_table(first).to_pylist()
    assert [(row["id"], row["target_key"]) for row in read] == [
        ("e4", None), ("e1", None), ("e1", "a"), ("e1", "b"), ("e3", None),
    ]  # fmt: skip


def test_equal_rows_are_all_kept(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "e.sqlite", {"audit_events": [event(1)] * 3})
    assert extract(path, tmp_path / "lake").tables["audit_events"].rows_kept == 3


def test_the_manifest_says_what_was_read_and_what_was_not(tmp_path: Path) -> None:
    rows = [event(1), event(2, "?"), event(3, event_type="signal.rule_fired:"), event(4, metadata_json=b"x")]
    rows += [event(5, metadata_json="{", event_type="pr_outcome"), event(6, "2026-05-03", metadata_json="[]")]
    path = write_sqlite(
        tmp_path / "e.sqlite", {"audit_events": rows, "orb_instances": []}, without={"audit_events": ["actor"]}
    )
    manifest = extract(path, tmp_path / "lake", as_of=5)
    assert manifest == open_lake_manifest(tmp_path / "lake")
    assert (manifest.source_kind, manifest.source_label, manifest.as_of_us) == ("sqlite", "e.sqlite", 5)
    events = manifest.table("audit_events")
    assert (events.provided, events.rows_read, events.rows_kept) == (True, 6, 3)
    assert events.quarantined == {"empty_rule_id": 1, "unparseable_created_at": 1, "unreadable_row": 1}
    assert events.examples == {"empty_rule_id": [3], "unparseable_created_at": [2], "unreadable_row": [4]}
    assert (events.malformed_metadata, events.malformed_metadata_listed) == (2, 1)
    assert events.missing_columns == ["actor"]
    assert (events.earliest_us, events.latest_us) == (1777636800000000, 1777766400000000)
    assert events.mark is not None and (events.mark.lowest, events.mark.highest, events.mark.rows) == (1, 6, 6)
    listed = pq.read_table(tmp_path / "lake" / "quarantine.parquet").to_pylist()
    assert listed[0] == {"table": "audit_events", "reason": "empty_rule_id", "position": 3}
    assert len(listed) == 3


def test_a_table_that_is_not_provided_is_not_an_empty_one(tmp_path: Path) -> None:
    manifest = extract(write_sqlite(tmp_path / "e.sqlite", {"orb_instances": []}), tmp_path / "lake")
    assert manifest.table("orb_instances").provided
    assert not manifest.table("audit_events").provided
    for name in TABLES:
        assert table_files(tmp_path / "lake", manifest, name) == []
        assert table_schema(name).names == list(TABLES[name].column_names)


def test_a_table_without_a_column_it_needs_is_refused_by_name(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "e.sqlite", every_table({}), without={"decision_records": ["pull_number"]})
    with pytest.raises(SourceError, match=r"decision_records of e\.sqlite lacks the column pull_number"):
        extract(path, tmp_path / "lake")
    assert not (tmp_path / "lake").exists()


def test_the_listed_rows_of_a_reason_are_bounded_and_all_are_counted(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "e.sqlite", {"audit_events": [event(n, "?") for n in range(1500)]})
    manifest = extract(path, tmp_path / "lake")
    assert manifest.table("audit_events").quarantined == {"unparseable_created_at": 1500}
    listed = pq.read_table(tmp_path / "lake" / "quarantine.parquet").column("position").to_pylist()
    assert listed == list(range(1, 1001))


# --- complete or absent ----------------------------------------------------------------------------------------


def small_export(folder: Path, name: str, number: int) -> Path:
    return write_sqlite(folder / name, {"audit_events": [event(number)]})


def test_a_failure_leaves_the_earlier_lake_and_nothing_else(tmp_path: Path) -> None:
    lake = tmp_path / "lakes" / "lake"
    extract(small_export(tmp_path, "good.sqlite", 1), lake)
    before = contents(lake)
    bad = write_sqlite(tmp_path / "bad.sqlite", {"audit_events": [event(n, detail="x" * 100) for n in range(3000)]})
    data = bytearray(bad.read_bytes())
    data[20 * 4096 : 21 * 4096] = b"\xa5" * 4096
    bad.write_bytes(data)
    with pytest.raises(SourceError):
        extract(bad, lake)
    assert contents(lake) == before
    assert sorted(path.name for path in lake.parent.iterdir()) == [".lake.lock", "lake"]


def test_every_step_of_a_write_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call that touches the disk fails once, as on a full one: the earlier lake stays, then a full run passes."""
    first, second = small_export(tmp_path, "1.sqlite", 1), small_export(tmp_path, "2.sqlite", 2)
    lake = tmp_path / "lakes" / "lake"
    extract(first, lake)
    before = contents(lake)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for target in (
        "evenhand.lake.work.sync",
        "evenhand.lake.writing.sync",
        "evenhand.lake.work.assemble",
        "evenhand.lake.writing.write_quarantine",
        "evenhand.lake.staging.pa.OSFile",
        "pathlib.Path.write_text",
        "pathlib.Path.mkdir",
        "tempfile.mkdtemp",
        "evenhand.lake.writing._exchanged",
    ):
        with monkeypatch.context() as patch:
            patch.setattr(target, full)
            with pytest.raises(OSError, match="No space left"):
                extract(second, lake)
        assert contents(lake) == before, target
    extract(second, lake)
    assert contents(lake) != before
    assert sorted(path.name for path in lake.parent.iterdir()) == [".lake.lock", "lake"]


def test_without_an_exchange_of_folders_the_lake_is_still_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_exchanged", lambda *_: False)
    lake = tmp_path / "lake"
    extract(small_export(tmp_path, "1.sqlite", 1), lake)
    before = contents(lake)
    extract(small_export(tmp_path, "2.sqlite", 2), lake)
    assert contents(lake) != before


def test_a_lake_that_was_only_moved_aside_comes_back(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    extract(small_export(tmp_path, "1.sqlite", 1), lake)
    before = contents(lake)
    lake.rename(tmp_path / ".lake.earlier")
    (tmp_path / ".lake.building-x").mkdir()
    with pytest.raises(SourceError):
        extract(write_sqlite(tmp_path / "2.sqlite", {"audit_events": []}, {"audit_events": ["created_at"]}), lake)
    assert contents(lake) == before
    assert not (tmp_path / ".lake.building-x").exists()


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with (tmp_path / ".lake.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(LakeError, match="another run is writing the lake lake"):
            extract(small_export(tmp_path, "1.sqlite", 1), lake)
    extract(tmp_path / "1.sqlite", lake)


def test_a_folder_of_other_files_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    with pytest.raises(LakeError, match="holds other files and no lake"):
        extract(small_export(tmp_path, "1.sqlite", 1), tmp_path / "home")
    assert (tmp_path / "home" / "letter.txt").read_text() == "dear"


def test_a_killed_run_leaves_the_earlier_lake_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    lake = tmp_path / "lakes" / "lake"
    extract(small_export(tmp_path, "1.sqlite", 1), lake)
    before = contents(lake)
    code = (
        "import sys, time; from pathlib import Path; from evenhand.sources import open_source\n"
        "from evenhand.lake import writing\n"
        "def wait(*_): print('here', flush=True); time.sleep(60)\n"
        "writing._swap = wait\n"
        "with open_source(sys.argv[1]) as source: writing.write_lake(source, Path(sys.argv[2]))\n"
    )
    second = small_export(tmp_path, "2.sqlite", 2)
    process = subprocess.Popen([sys.executable, "-c", code, str(second), str(lake)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"here\n"
    process.kill()
    process.wait()
    process.stdout.close()
    assert contents(lake) == before
    assert len(list(lake.parent.glob(".lake.building-*"))) == 1
    extract(second, lake)
    assert contents(lake) != before
    assert sorted(path.name for path in lake.parent.iterdir()) == [".lake.lock", "lake"]


def test_a_second_process_that_dies_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SMALL_EXPORT_BYTES", 0)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(LakeError, match="ended early"):
        extract(unpacked("open-hand-05", tmp_path), tmp_path / "lake")
    assert not (tmp_path / "lake").exists()


def test_an_error_of_the_second_process_is_raised_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.lake.processes import Helper

    monkeypatch.setattr(writing, "SMALL_EXPORT_BYTES", 0)
    path = unpacked("open-hand-05", tmp_path)
    tell = Helper.tell

    def misdirected(self: Helper, message: dict[str, object]) -> None:
        if "address" in message:
            message = {**message, "address": "sqlite:" + str(tmp_path / "gone.sqlite")}
        tell(self, message)

    monkeypatch.setattr(Helper, "tell", misdirected)
    with pytest.raises(SourceError, match=r"there is no file or folder gone\.sqlite"):
        extract(path, tmp_path / "lake")


# --- reading ---------------------------------------------------------------------------------------------------


def test_a_lake_that_is_not_there_or_not_whole_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="there is no lake"):
        open_lake_manifest(tmp_path / "nowhere")
    lake = tmp_path / "lake"
    manifest = extract(small_export(tmp_path, "1.sqlite", 1), lake)
    (lake / manifest.table("audit_events").files[0].path).unlink()
    with pytest.raises(LakeError, match=r"lacks audit_events/2026-05-01\.parquet"):
        table_files(lake, manifest, "audit_events")
    (lake / "lake.json").write_text("{")
    with pytest.raises(LakeError, match="damaged"):
        open_lake_manifest(lake)
    (lake / "lake.json").write_text(manifest.to_json().replace('"format_version": 2', '"format_version": 99'))
    with pytest.raises(LakeError, match="format 99"):
        open_lake_manifest(lake)


def test_extraction_of_nothing_takes_no_second(tmp_path: Path) -> None:
    path = small_export(tmp_path, "1.sqlite", 1)
    start = time.perf_counter()
    extract(path, tmp_path / "lake")
    assert time.perf_counter() - start < 5
