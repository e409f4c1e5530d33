"""The policy: every number a person may decide, refused when it cannot be what was meant."""

from fractions import Fraction

import pytest

from evenhand.errors import UsageError
from evenhand.policy import Policy, exact, load_policy, normalised_repositories, policy_from


def test_without_a_file_the_values_are_the_contracts():
    policy = load_policy(None)
    assert policy == Policy()
    windows, floors = policy.windows, policy.floors
    assert (windows.signals_days, windows.fleet_days, windows.parity_days, windows.automation_days) == (90, 90, 7, 84)
    assert (floors.rule_precision, floors.weekly_accuracy, floors.weekly_fleet, floors.weekly_calibration) == (
        10,
        3,
        5,
        3,
    )
    assert policy.corpus.json_cases == 2000


def test_what_is_not_named_keeps_its_default():
    policy = policy_from({"floors": {"rule_precision": 20}})
    assert policy.floors.rule_precision == 20
    assert policy.floors.weekly_accuracy == 3


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"floor": {}}, "a table [floor] that does not exist; the nearest known one is 'floors'"),
        (
            {"floors": {"rule_precison": 1}},
            "'rule_precison' in [floors] that does not exist; the nearest known one is 'rule_precision'",
        ),
        ({"zzz": {}}, "bots, confirmation, corpus"),
        ({"floors": 3}, "floors must be a table, written [floors]"),
        ({"floors": {"rule_precision": "10"}}, "[floors] rule_precision must be a whole number, not '10'"),
        ({"floors": {"rule_precision": 10.0}}, "must be a whole number"),
        ({"floors": {"rule_precision": True}}, "must be a whole number"),
        ({"floors": {"rule_precision": 0}}, "must be at least 1"),
        ({"windows": {"signals_days": -90}}, "must be at least 1"),
        ({"intervals": {"z": "1.96"}}, "must be a number"),
        ({"intervals": {"z": float("nan")}}, "finite number"),
        ({"intervals": {"z": float("inf")}}, "finite number"),
        ({"intervals": {"z": -1.0}}, "at least 0"),
        ({"repositories": {"allow": "acme/widgets"}}, "must be a list of texts"),
        ({"repositories": {"allow": [1]}}, "must be a list of texts"),
        ({"site": {"title": 1}}, "must be a text"),
        ({"owners": {"acme": "lead"}}, "[owners] acme must be a list of texts"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_named(document, message):
    with pytest.raises(UsageError) as refused:
        policy_from(document, "policy.toml")
    assert str(refused.value).startswith("policy.toml")
    assert message in str(refused.value)


def test_a_whole_number_may_stand_for_a_number():
    assert policy_from({"intervals": {"z": 2}}).intervals.z == 2.0


def test_the_allowlist_is_trimmed_lower_cased_and_without_doubles_in_the_order_given():
    names = [" Acme/Widgets ", "acme/gadgets", "ACME/WIDGETS", "", "  ", "Zoë/Ä"]
    assert normalised_repositories(names) == ("acme/widgets", "acme/gadgets", "zoë/Ä")
    assert policy_from({"repositories": {"allow": names}}).repositories.allow == (
        "acme/widgets",
        "acme/gadgets",
        "zoë/Ä",
    )
    assert Policy().allowing(names).repositories.allow == ("acme/widgets", "acme/gadgets", "zoë/Ä")


def test_owners_are_known_by_lower_cased_repository_or_organisation():
    assert policy_from({"owners": {" Acme ": ["Lead"]}}).owners.logins == {"acme": ("Lead",)}


def test_a_file_is_read_and_errors_name_it_without_its_folder(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text("[floors]\nrule_precision = 12\n")
    assert load_policy(file).floors.rule_precision == 12
    file.write_text("[floors\n")
    with pytest.raises(UsageError, match=r"the policy file 'policy.toml' is not TOML"):
        load_policy(file)
    file.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="is not TOML"):
        load_policy(file)
    with pytest.raises(UsageError, match=r"'missing.toml' cannot be read: No such file"):
        load_policy(tmp_path / "missing.toml")


def test_every_value_says_what_it_means():
    described = list(policy_from({"floors": {"rule_precision": 20}}).described())
    assert all(value.meaning for value in described)
    [changed] = [value for value in described if value.value != value.default]
    assert (changed.table, changed.name, changed.value, changed.default) == ("floors", "rule_precision", 20, 10)


def test_a_policy_number_is_the_decimal_that_was_written():
    assert exact(0.1) == Fraction(1, 10)
    assert exact(0.25) == Fraction(1, 4)
