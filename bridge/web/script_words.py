"""Hold the texts of the page's scripts, which a page in another language than English carries translated."""

from __future__ import annotations

from bridge.domain.languages import Text, say, shown

# The messages that scripts in ``bridge/web/static`` pass to their function ``_``.
SCRIPT_TEXTS: tuple[Text, ...] = (
    say("That did not work: {why}."),
    say("the bridge does not answer. Try again"),
    say("it is too large"),
    say("{name}: sending"),
    say("Sending {name}"),
    say("{name} was not accepted: {why}."),
    say("{name}: the connection broke off. Send it again."),
    say("Copied."),
    say("this browser may not show messages. Allow it for this page"),
    say("the bridge does not answer"),
    say("not known"),
    say("hours"),
    say("too many tries; wait {count} seconds"),
    say("load the page again"),
    say("it was cancelled, or there is no passkey for this page. Try again"),
    say("this device has a passkey for this page already. Log in with it"),
    say("nothing planned"),
    say("The data did not come. Load the page again."),
    say("Showing {from} to {to}."),
    say("workout"),
    say("entry"),
    say("zone"),
)


def translated() -> dict[str, str]:
    """Return message -> its translation into the current language."""
    return {str(word): shown(word) for word in SCRIPT_TEXTS}
