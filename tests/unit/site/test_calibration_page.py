"""The operator's page on backtests says what may be recommended and guaranteed, and no public page does."""

import re

import pytest
from support.exports import every_table
from support.rows import event, firing, override
from support.sites import Written, operators, published_from, written

RULE = "linked_issue_scope_mismatch"


def history():
    """A rule whose floor could be lower, and one recorded run of it."""
    rows = [
        event(
            "calibration.threshold_backtest_run",
            RULE,
            "2026-05-20T00:00:00Z",
            comparison={"ruleId": RULE, "verdict": "improved"},
        )
    ]
    for number in range(90):
        key, confidence = f"acme/widgets#{number}", (0.3, 0.47, 0.9)[number % 3]
        rows.append(firing(RULE, key, "2026-05-01T00:00:00Z", confidence=confidence))
        rows.append(override(RULE, key, "2026-05-02T00:00:00Z", "reversed" if number % 3 == 0 else "confirmed"))
    return every_table({"audit_events": rows})


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Written, Written]:
    published = published_from(history(), tmp_path_factory.mktemp("history"))
    return written(published, tmp_path_factory.mktemp("public")), operators(
        published, tmp_path_factory.mktemp("private")
    )


def text_of(site: Written, path: str) -> str:
    found = dict(site.pages())[path]
    return " ".join(re.sub(r"<[^>]+>", " ", found.replace("<wbr>", "")).split())


def test_a_recommendation_stands_with_its_evidence(sites):
    text = text_of(sites[1], "backtests.html")
    assert "loosening to 0.45 is worth a look" in text
    assert "0.45 loosening improved" in text
    assert "30 set right, 0 broken" in text
    assert "recommended" in text


def test_the_track_record_the_guarantees_and_the_curve_stand_there(sites):
    text = text_of(sites[1], "backtests.html")
    assert f"{RULE} 1 0 1 0" in text
    assert "No guarantee (insufficient_labels): P(wrong | acted)" in text
    assert "0.4 to 0.5 30 47.0 100.0 88.6–100.0" in text
    assert "charts/claims-satisfaction_floor.vl.json" in dict(sites[1].pages())["backtests.html"]


def test_nothing_of_it_is_on_a_public_page(sites):
    assert "backtests.html" not in dict(sites[0].pages())
    for path, page in sites[0].pages():
        assert "worth a look" not in page, path
        assert "Track record" not in page, path
        assert "insufficient_labels" not in page, path
    assert not (sites[0].folder / "charts" / "claims-satisfaction_floor.vl.json").exists()


def test_the_operators_methodology_shows_the_queries_of_a_backtest(sites):
    assert "backtest/pairing.sql" in dict(sites[1].pages())["methodology.html"]
    assert "backtest/pairing.sql" not in dict(sites[0].pages())["methodology.html"]
