"""Run every test that attacks the bridge, and tell what each kind of attack broke (``make attack``).

The attacks are tests like any other, gathered here by what a stranger would try. They leave loopback nowhere
(``--disable-socket``), and each ends in two minutes, a slow one in ten. ``SECURITY.md`` holds what the last run told.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SECURITY = ROOT / "SECURITY.md"
BEGIN, END = "<!-- attacks -->\n", "<!-- /attacks -->\n"
SECONDS_MAX = 120  # of one test that sets no limit of its own
Tests = Mapping[str, str]  # file -> names of its tests, with blanks between; "" is all of them
ATTACKS: Mapping[str, Tests] = {
    "forged and guessed logins": {
        "web/test_provider.py": (
            "test_a_token_with_a_wrong_claim_is_refused test_a_wrong_signature_is_refused "
            "test_a_token_that_anybody_can_sign_is_refused test_an_expired_token_of_the_provider_itself_is_refused "
            "test_the_answer_of_another_provider_is_refused_before_its_code_is_sent "
            "test_a_discovery_document_of_another_issuer_is_refused test_codes_go_nowhere_in_the_clear "
            "test_a_way_back_counts_once_and_in_the_browser_that_began test_a_login_that_is_anothers_is_not_taken"
        ),
        "web/test_logins.py": "",
        "web/test_proof.py": "",
        "web/test_user_header.py": (
            "test_the_header_of_anybody_else_counts_for_nothing test_without_the_setting_the_header_counts_for_nothing "
            "test_two_names_are_none test_a_header_that_anybody_could_send_does_not_start"
        ),
        "web/test_security.py": (
            "test_without_a_password_nobody_comes_through_a_proxy test_guessing_is_slowed_down "
            "test_a_new_password_ends_every_session test_the_login_leads_nowhere_else"
        ),
        "web/test_links.py": "test_a_forged_one_and_an_old_one_are_refused",
        "doors/test_doors.py": (
            "test_a_passkey_needs_a_key_on_its_curve test_a_name_that_misleads_is_refused "
            "test_a_twin_of_a_name_is_refused"
        ),
        "test_oauth.py": "test_an_answer_to_another_question_is_none test_a_pasted_address_that_does_not_fit_is_none",
    },
    "other people's ids and tokens": {
        "web/test_security.py": (
            "test_no_route_of_another_persons_data_answers test_who_is_not_known_sees_nothing "
            "test_nothing_of_a_strangers_upload_is_read"
        ),
        "web/test_household.py": (
            "test_no_page_and_no_document_of_the_viewer_tells_more test_names_cannot_be_found_out_by_trying"
        ),
        "doors/test_doors.py": "test_a_token_of_a_program_makes_no_token_for_pushes",
        "mcp/test_http.py": (
            "test_without_a_token_nothing_is_answered_and_no_login_server_is_named "
            "test_an_assistants_token_opens_nothing_but_its_tools test_a_token_that_was_ended_opens_nothing "
            "test_a_token_opens_its_own_persons_data_alone"
        ),
    },
    "other sites in the browser": {
        "web/test_security.py": (
            "test_every_change_needs_the_token_of_its_page_and_comes_from_our_own "
            "test_another_name_for_this_machine_is_refused "
            "test_no_template_has_script_or_style_of_its_own_and_the_policy_forbids_it"
        ),
        "web/test_links.py": "test_another_site_cannot_press_it",
        "mcp/test_http.py": "test_other_sites_and_other_names_are_refused",
    },
    "typed addresses": {
        "test_egress.py": (
            "test_an_address_inside_is_not_public test_every_spelling_of_loopback_is_refused "
            "test_a_redirect_and_a_name_that_changes_reach_nothing_inside "
            "test_a_public_address_of_this_machine_is_not_reached "
            "test_a_calendar_inside_is_not_read_and_nothing_tells_what_is_there test_messages_reach_nothing_inside "
            "test_a_message_that_never_ends_is_given_up"
        ),
        "ics/test_address.py": (
            "test_an_unsafe_redirect_is_not_followed test_an_encrypted_address_is_never_followed_to_a_plain_one "
            "test_nobody_outside_leads_us_to_our_own_network test_one_without_end_is_refused "
            "test_an_address_inside_the_network_is_not_even_asked test_an_unsafe_address_is_refused"
        ),
        "daemon/test_web_push.py": (
            "test_an_address_inside_the_network_or_without_encryption_is_refused "
            "test_a_private_address_behind_https_is_not_reached test_keys_that_are_none_are_refused"
        ),
    },
    "hostile files": {
        "doors/test_damaged_exports.py": "",
        "doors/test_doors.py": "test_endless_empty_entries_of_a_small_zip_end_soon",
        "test_hostile_json.py": "",
        "apple_health/test_reading.py": (
            "test_a_document_type_is_dropped_however_broken test_no_way_of_declaring_an_entity_works "
            "test_forbidden_characters_are_dropped"
        ),
        "health_auto_export/test_stream.py": (
            "test_what_is_nested_beyond_all_measure_is_refused test_a_value_beyond_all_measure_is_not_gathered "
            "test_a_route_of_any_length_is_passed_over_in_little_memory"
        ),
        "ics/test_damage.py": "test_no_damage_to_a_text_raises_anything_unexpected",
    },
    "webhooks and pushes": {
        "whoop/test_webhooks.py": (
            "test_somebody_elses_notice_is_answered_and_forgotten test_one_that_is_too_old_or_too_new_is_refused "
            "test_another_secret_or_none_is_refused test_one_changed_byte_is_refused "
            "test_an_id_that_is_no_uuid_never_becomes_an_address "
            "test_over_the_wire_a_signed_one_is_kept_and_another_refused"
        ),
        "polar/test_webhook.py": (
            "test_a_message_with_another_key_or_none_is_refused test_without_a_key_nothing_is_believed "
            "test_one_that_is_too_old_or_dated_ahead_or_not_dated_is_refused "
            "test_a_date_that_is_none_never_becomes_part_of_an_address test_one_changed_byte_is_refused"
        ),
        "withings/test_webhook.py": (
            "test_what_a_notification_says_is_not_believed test_an_address_that_was_not_told_to_withings_is_refused "
            "test_however_many_dates_are_named_the_notices_of_a_minute_are_few test_odd_bodies_are_no_notices "
            "test_without_a_secret_nothing_is_believed"
        ),
        "google_calendar/test_channels.py": (
            "test_forged_pushes_are_refused_over_the_wire test_without_a_secret_nothing_is_believed"
        ),
        "google_health/test_webhook.py": (
            "test_a_sender_without_the_secret_is_not_believed test_odd_bodies_are_no_notices"
        ),
        "doors/test_doors.py": (
            "test_a_signed_webhook_nested_too_deep_is_refused "
            "test_half_open_connections_of_five_addresses_leave_the_page_open"
        ),
        "health_auto_export/test_push.py": (
            "test_who_guesses_tokens_has_to_wait test_lengths_are_demanded_and_believed_only_as_far_as_they_are_true "
            "test_stalled_bodies_are_few_and_end_in_time test_a_body_that_drips_ends_in_time "
            "test_half_open_headers_end_in_time_and_are_bounded"
        ),
    },
    "messages and answers": {
        "daemon/test_mqtt.py": (
            "test_what_is_no_button_answers_nothing test_a_press_that_the_broker_retained_is_an_old_press "
            "test_a_flood_of_presses_is_bounded"
        ),
        "daemon/test_notify.py": "test_a_message_is_text_also_where_it_goes_out_as_html",
        "mcp/test_http.py": (
            "test_what_is_no_message_of_this_protocol_is_refused test_a_person_has_so_many_messages_answered_at_once"
        ),
        "web/test_api.py": "test_what_no_answer_can_repeat_is_refused",
        "web/test_security.py": "test_what_is_too_large_is_refused_before_it_is_read test_only_uploads_may_be_large",
        "contract/test_bounds.py": (
            "test_few_packed_bytes_do_not_fill_the_memory test_json_far_too_deep_is_an_odd_answer "
            "test_an_answer_that_drips_is_not_waited_for test_ever_new_pages_without_anything_new_come_to_an_end"
        ),
    },
}


def nodes(tests: Tests) -> Iterator[str]:
    """Yield what pytest calls the tests of a kind of attack."""
    for file, names in tests.items():
        yield from (f"tests/{file}::{name}" for name in names.split()) if names else (f"tests/{file}",)


class Counted:
    """A plug-in of pytest that counts attacks by kind, and those that broke something or could not be run."""

    def __init__(self) -> None:
        self.tried, self.broken, self.left = Counter[str](), Counter[str](), Counter[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test once it was called, and also where its preparation failed or left it out."""
        kinds = [kind for kind, tests in ATTACKS.items() if any(belongs(report.nodeid, node) for node in nodes(tests))]
        if report.when == "call":
            self.tried.update(kinds)
        if report.failed:
            self.broken.update(kinds)
        if report.skipped:
            self.left.update(kinds)


def belongs(node: str, to: str) -> bool:
    return node == to or node.startswith((f"{to}::", f"{to}["))


def count(tests: Tests) -> int:
    """Return how many tests a kind of attack has, each with any number of cases."""
    return sum(len(names.split()) if names else len(defined(file)) for file, names in tests.items())


def defined(file: str) -> list[str]:
    """Return the names of the tests in a file."""
    return re.findall(r"^def (test_\w+)", (ROOT / "tests" / file).read_text(encoding="utf-8"), re.MULTILINE)


def table(counted: Counted) -> str:
    """Return the table that SECURITY.md holds."""
    lines = ["| attack | tests | cases tried | broken |", "|---|---|---|---|"]
    lines += [f"| {k} | {count(tests)} | {counted.tried[k]} | {counted.broken[k]} |" for k, tests in ATTACKS.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run all attacks, print what broke and write it down. Returns pytest's exit status, which is 0 if nothing did."""
    counted = Counted()
    chosen = list(dict.fromkeys(node for tests in ATTACKS.values() for node in nodes(tests)))
    options = ["-q", "--no-header", "-p", "no:randomly", "-m", "not web and not faults", "--timeout", str(SECONDS_MAX)]
    status = pytest.main([*options, *chosen], plugins=[counted])
    told = table(counted)
    before, _, rest = SECURITY.read_text(encoding="utf-8").partition(BEGIN)
    SECURITY.write_text(before + BEGIN + told + END + rest.partition(END)[2], encoding="utf-8")
    print("\n" + told)
    for kind, left in counted.left.items():
        print(f"{kind}: {left} could not be run here")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
