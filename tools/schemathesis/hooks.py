"""What Schemathesis cannot know of the service from its description alone."""

import json
import os
import re

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

# Messages of rules that JSON Schema cannot state, which the description states in words.
RULES_IN_WORDS = [
    r"documents\[\d+\]: a currentVersion that is one of versions\[\]\.version is expected",
    r"documents\[\d+\]: version numbers that are unique within the document are expected",
    r"cursor: the nextCursor of the previous page is expected",
    r"externalId: the externalId of this candidate is expected",
    r"The endpoint is inactive\. Send PATCH with active true first\.",
    r"eventId: the event is a sample: send another with POST …/test",
    r"eventId: a delivery with fewer than 100 attempts is expected",
    r"eventId: an event of a candidate that has been neither erased nor created again since is expected",
    r"url: port 443, or 1024 and above, is expected",
    r"cursor: a nextCursor of your organisation is expected",
    r"cursor: expired",
    r"since: too old",
    r"events are kept for 30 days",
    r"start with since=\S+",
    r"since: cannot be combined with a cursor",
    r"since: a time in the past and before the end of the recovery is expected",
    r"The recovery rec_\w+ of this endpoint is running: wait until it ends\.",
    r"reasons: an array of 1 to 50 items is required",
    r"reasons: only fail-validation has reasons",
    r"send no body",
    r"transition: [a-z-]+ is not allowed from the status \w+(\. .+)?",
    r"The organisation already has \d+ webhook endpoints\. Delete one first\.",
]
# A refusal lists twenty problems, which are judged, and how many more there are.
FURTHER_PROBLEMS = r"and (more than )?\d+ more"


@schemathesis.check
def described_data_is_accepted(ctx, response, case):
    """A request that matches the description is accepted, unless it breaks a rule that stands there in words."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except RejectedPositiveData:
        if not breaks_rules_in_words(response, case):
            raise
        return None


def breaks_rules_in_words(response, case):
    if response.status_code == 412:
        return "If-Match" in case.headers
    return response.status_code == 400 and is_about_rules_in_words(json.loads(response.content))


def is_about_rules_in_words(refusal):
    *problems, last = refusal["message"].split("; ")
    if not re.fullmatch(FURTHER_PROBLEMS, last):
        problems.append(last)
    return all(any(re.fullmatch(rule, problem) for rule in RULES_IN_WORDS) for problem in problems)


@schemathesis.check
def undescribed_data_is_refused(ctx, response, case):
    """A request that does not match the description is refused: a batch as a whole, or in the results of its rows."""
    try:
        return negative_data_rejection(ctx, response, case)
    except AcceptedNegativeData:
        if not refused_rows(response):
            raise
        return None


@schemathesis.check
def described_rows_are_received(ctx, response, case):
    """A row of a batch that matches the description is received, unless it breaks a rule that stands there in words."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    for row in refused_rows(response):
        if not is_about_rules_in_words(row):
            raise Failure(operation=case.operation.label, title="Described row refused", message=row["message"])


def refused_rows(response):
    """The results of a batch's rows that were refused; none of any other response."""
    if response.status_code != 200:
        return []
    body = json.loads(response.content)
    return [row for row in body.get("results", []) if row["status"] == 400]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Events go to a receiver of this run, and to no host that was made up."""
    if isinstance(case.body, dict) and isinstance(case.body.get("url"), str):
        case.body["url"] = at_receiver(case.body["url"])


def at_receiver(url):
    parts = re.fullmatch(r"https?://[^/?#]+(.*)", url, re.IGNORECASE | re.DOTALL)
    if parts is None:
        return url
    moved = os.environ["RECEIVER_URL"] + parts[1]
    return moved if len(moved) <= 2048 or len(url) > 2048 else os.environ["RECEIVER_URL"]
