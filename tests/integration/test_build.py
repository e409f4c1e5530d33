"""A build is complete or absent: what is published, what is refused, and what a failure leaves behind."""

import hashlib
import json
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

import jsonschema
import pytest

from evenhand import build as building
from evenhand.computed import Computed, compute
from evenhand.errors import DisclosureError, EvenhandError, SourceError, UsageError
from evenhand.lake.writing import write_lake
from evenhand.policy import Policy, load_policy
from evenhand.site import publish as publishing
from evenhand.site.report import report_schema
from evenhand.sources import open_source
from evenhand.timeline import instant_argument

SAMPLE = Path("data/sample/export.sqlite")
AS_OF = "2026-11-01T00:00:00Z"


@pytest.fixture
def policy() -> Policy:
    return load_policy(Path("data/sample/policy.toml"))


@pytest.fixture
def quick_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages have their own tests; here they are one file each."""

    def write(_computed: object, facts: object, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "index.html").write_text("a page", encoding="utf-8")

    monkeypatch.setattr(building, "write_pages", write)
    monkeypatch.setattr(building, "write_operator_pages", write)


@pytest.fixture(scope="module", autouse=True)
def sample_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("sample") / "lake"
    write_lake(open_source(str(SAMPLE)), lake)
    _LAKE.append(lake)
    return lake


_LAKE: list[Path] = []


@lru_cache
def computed(repositories: tuple[str, ...], as_of: str) -> Computed:
    """The sample computed once for each allowlist and as-of."""
    policy = load_policy(Path("data/sample/policy.toml")).allowing(list(repositories))
    return compute(_LAKE[-1], policy, instant_argument(as_of))


def run(tmp_path: Path, policy: Policy, as_of: str = AS_OF, **more: object) -> building.Outcome:
    """Publishes the sample; extraction and figures have tests of their own."""
    return building.publish(computed(policy.repositories.allow, as_of), out=tmp_path / "out", **more)  # type: ignore[arg-type]


def latest(out: Path) -> str:
    """Where `latest` points."""
    return (out / "latest").readlink().as_posix()


def tree(folder: Path) -> dict[str, str]:
    """Every file and link below a folder with what it holds."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file() and path.name != ".lock":
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


pytestmark = pytest.mark.usefixtures("quick_pages")


def test_a_build_is_published_under_its_date_and_digest_and_latest_points_to_it(tmp_path: Path, policy: Policy) -> None:
    outcome = run(tmp_path, policy)
    folder = tmp_path / "out" / "latest"
    digests = {path: publishing.file_digest(folder / path) for path in publishing.files_below(folder)}
    digest = publishing.build_digest(digests)
    assert outcome.build_id == f"2026-11-01-{digest[:12]}"
    assert str(folder.readlink()) == f"builds/{outcome.build_id}"
    assert {"report.json", "report.schema.json", "build.json", "history.json", "index.html"} <= set(digests)
    assert json.loads((tmp_path / "out" / "history.json").read_text())["builds"][0]["build"] == outcome.build_id


def test_every_file_of_a_build_stands_in_its_checksums(tmp_path: Path, policy: Policy) -> None:
    run(tmp_path, policy)
    folder = tmp_path / "out" / "latest"
    stated = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
    actual = {path: publishing.file_digest(folder / path) for path in publishing.files_below(folder)}
    assert stated == {path: digest for path, digest in actual.items() if path != "SHA256SUMS"}
    checked = subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, capture_output=True, check=False)
    assert checked.returncode == 0


def test_report_json_follows_its_schema_and_names_each_figure_once(tmp_path: Path, policy: Policy) -> None:
    run(tmp_path, policy)
    document = json.loads((tmp_path / "out" / "latest" / "report.json").read_text())
    jsonschema.Draft202012Validator(report_schema()).validate(document)
    names = [figure["id"] for figure in document["figures"]]
    assert len(names) == len(set(names)) > 200


def test_the_same_build_again_changes_nothing(tmp_path: Path, policy: Policy) -> None:
    first = run(tmp_path, policy)
    before = tree(tmp_path / "out")
    again = run(tmp_path, policy)
    assert (again.build_id, again.unchanged) == (first.build_id, True)
    assert tree(tmp_path / "out") == before


def test_a_past_as_of_that_would_now_differ_is_refused_and_restated_with_its_reason(
    tmp_path: Path, policy: Policy
) -> None:
    first = run(tmp_path, policy)
    before = tree(tmp_path / "out")
    narrower = policy.allowing(["acme/widgets"])
    with pytest.raises(EvenhandError, match=f"published as {first.build_id}.*--restate"):
        run(tmp_path, narrower)
    assert tree(tmp_path / "out") == before
    second = run(tmp_path, narrower, restate="one repository left the allowlist")
    assert (tmp_path / "out" / "builds" / first.build_id / "index.html").exists()
    assert latest(tmp_path / "out") == f"builds/{second.build_id}"
    [newest, oldest] = json.loads((tmp_path / "out" / "history.json").read_text())["builds"]
    assert (newest["restated"], oldest["restated"]) == ("one repository left the allowlist", None)


def test_an_older_as_of_is_published_without_moving_latest(tmp_path: Path, policy: Policy) -> None:
    newer = run(tmp_path, policy)
    older = run(tmp_path, policy, as_of="2026-10-01T00:00:00Z")
    assert latest(tmp_path / "out") == f"builds/{newer.build_id}"
    assert (tmp_path / "out" / "builds" / older.build_id / "report.json").exists()


def test_a_build_names_the_newest_build_with_an_earlier_as_of(tmp_path: Path, policy: Policy) -> None:
    older = run(tmp_path, policy, as_of="2026-10-01T00:00:00Z")
    newer = run(tmp_path, policy)
    manifest = json.loads((tmp_path / "out" / "builds" / newer.build_id / "build.json").read_text())
    assert manifest["previous"] == older.build_id


def test_a_source_that_cannot_be_read_leaves_the_published_site_as_it_was(tmp_path: Path, policy: Policy) -> None:
    run(tmp_path, policy)
    before = tree(tmp_path / "out")
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(SAMPLE.read_bytes()[:60_000])
    with pytest.raises(SourceError):
        building.build(
            str(broken),
            policy=policy,
            as_of=instant_argument("2026-11-02T00:00:00Z"),
            lake_dir=tmp_path / "lake",
            out=tmp_path / "out",
        )
    assert tree(tmp_path / "out") == before


@pytest.mark.parametrize("call", ["mkdir", "write_text", "rename", "symlink_to", "replace", "open"])
def test_each_kind_of_disk_call_may_fail_once_and_what_was_published_stands(
    call: str, tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each failed run the old site is whole; when nothing fails any more the new one is."""
    run(tmp_path, policy, as_of="2026-10-01T00:00:00Z")
    out = tmp_path / "out"
    old = tree(out)
    original = getattr(Path, call)
    survived = 0
    for failing in [*range(4), *range(4, 600, 29)]:
        calls = iter(range(10_000))

        def fails(self: Path, *args: object, _calls=calls, _failing=failing, **more: object) -> object:  # type: ignore[no-untyped-def]
            if str(self).startswith(str(out)) and next(_calls) == _failing:
                raise OSError(28, "No space left on device", str(self))
            return original(self, *args, **more)

        with monkeypatch.context() as patched:
            patched.setattr(Path, call, fails)
            try:
                run(tmp_path, policy)
                break
            except (OSError, EvenhandError):
                survived += 1
        now = tree(out)
        new = {
            name: digest for name, digest in now.items() if old.get(name) != digest and not name.startswith("builds/")
        }
        assert set(old) <= set(now)
        assert all(now[name].startswith("-> ") for name in new), "only links may have moved"
        assert (out / "latest" / "report.json").exists()
    assert survived > 0
    run(tmp_path, policy)
    assert latest(out).startswith("builds/2026-11-01-")
    assert not list((out / "builds").glob(".making-*"))


def test_a_run_killed_after_its_build_was_installed_is_completed_by_the_next(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = run(tmp_path, policy, as_of="2026-10-01T00:00:00Z")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(building, "point_latest", killed)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, policy)
    assert latest(tmp_path / "out") == f"builds/{older.build_id}"
    completed = run(tmp_path, policy)
    assert latest(tmp_path / "out") == f"builds/{completed.build_id}"


def test_what_a_killed_run_left_half_made_is_cleared_away(tmp_path: Path, policy: Policy) -> None:
    leftover = tmp_path / "out" / "builds" / ".making-1"
    leftover.mkdir(parents=True)
    (leftover / "build.json").write_text("half")
    run(tmp_path, policy)
    assert not leftover.exists()


def test_a_second_build_at_the_same_time_says_that_one_is_going_on(tmp_path: Path, policy: Policy) -> None:
    with publishing.locked(tmp_path / "out"), pytest.raises(EvenhandError, match="another build is publishing"):
        run(tmp_path, policy)


def test_a_damaged_published_build_stops_the_next_with_its_name(tmp_path: Path, policy: Policy) -> None:
    first = run(tmp_path, policy, as_of="2026-10-01T00:00:00Z")
    (tmp_path / "out" / "builds" / first.build_id / "build.json").write_text("{")
    with pytest.raises(EvenhandError, match=f"{first.build_id} is damaged"):
        run(tmp_path, policy)


@pytest.mark.parametrize("inside", ["out", "out/latest/operator", "out/builds/../operator"])
def test_operator_pages_are_never_written_below_what_is_published(inside: str, tmp_path: Path, policy: Policy) -> None:
    with pytest.raises(UsageError, match="which is published"):
        run(tmp_path, policy, operator=tmp_path / inside)
    assert not (tmp_path / "out" / "builds").exists()


@pytest.mark.parametrize("lake", ["out", "out/lake", "."])
def test_the_lake_is_never_kept_with_what_is_published(lake: str, tmp_path: Path, policy: Policy) -> None:
    with pytest.raises(UsageError, match="which is published"):
        building.build(
            str(SAMPLE),
            policy=policy,
            as_of=instant_argument(AS_OF),
            lake_dir=tmp_path / lake,
            out=tmp_path / "out",
        )
    assert not (tmp_path / "out").exists()


def test_operator_pages_that_cannot_be_written_publish_nothing(tmp_path: Path, policy: Policy) -> None:
    (tmp_path / "operator").write_text("a file")
    with pytest.raises(OSError, match="exists"):
        run(tmp_path, policy, operator=tmp_path / "operator")
    assert not (tmp_path / "out" / "latest").exists()


def test_a_folder_in_the_place_of_latest_publishes_nothing(tmp_path: Path, policy: Policy) -> None:
    (tmp_path / "out" / "latest").mkdir(parents=True)
    with pytest.raises(EvenhandError, match="move it away"):
        run(tmp_path, policy)
    assert list((tmp_path / "out" / "builds").iterdir()) == []


def test_a_build_that_names_another_place_is_not_believed(tmp_path: Path, policy: Policy) -> None:
    first = run(tmp_path, policy)
    manifest = tmp_path / "out" / "builds" / first.build_id / "build.json"
    manifest.write_text(manifest.read_text().replace(f'"build": "{first.build_id}"', '"build": "../../../etc"'))
    with pytest.raises(EvenhandError, match="is damaged"):
        run(tmp_path, policy, as_of="2026-10-01T00:00:00Z")


def test_the_operator_gets_instances_and_the_calibration_trend_and_the_public_gets_neither(
    tmp_path: Path, policy: Policy
) -> None:
    run(tmp_path, policy, operator=tmp_path / "operator")
    document = json.loads((tmp_path / "operator" / "operator.json").read_text())
    instances = [row["instanceId"] for row in document["fleetAnalytics"]["instances"]]
    assert instances
    assert document["calibrationTrend"]["rules"]
    for path in (tmp_path / "out" / "latest").rglob("*"):
        if path.suffix in {".json", ".csv"}:
            text = path.read_text(encoding="utf-8")
            assert not [name for name in instances if name in text], path.name


def test_a_figure_that_shows_what_it_must_withhold_stops_the_build(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = building.report

    def leaking(computed: Computed) -> dict[str, object]:
        document = real(computed)
        next(figure for figure in document["figures"] if figure["withheld"])["numerator"] = 1
        return document

    monkeypatch.setattr(building, "report", leaking)
    with pytest.raises(DisclosureError, match="nothing was published"):
        run(tmp_path, policy)
    assert not (tmp_path / "out" / "latest").exists()


def test_a_build_names_no_address_path_or_login(tmp_path: Path, policy: Policy) -> None:
    run(tmp_path, policy)
    manifest = (tmp_path / "out" / "latest" / "build.json").read_text()
    assert str(tmp_path) not in manifest
    assert "sqlite" not in json.loads(manifest)["source"]
    assert "ada-acme" not in manifest


def test_the_export_is_only_read(tmp_path: Path, policy: Policy) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    copy = folder / "export.sqlite"
    shutil.copyfile(SAMPLE, copy)
    copy.chmod(0o444)
    before = (copy.read_bytes(), copy.stat().st_mtime_ns)
    building.build(
        str(copy), policy=policy, as_of=instant_argument(AS_OF), lake_dir=tmp_path / "lake", out=tmp_path / "out"
    )
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == before
    assert [path.name for path in folder.iterdir()] == ["export.sqlite"]
