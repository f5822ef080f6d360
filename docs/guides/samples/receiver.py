import base64
import hmac
import json
import os
import re
import sys
import time
from collections.abc import Mapping

from flask import Flask, request

TOLERANCE_SECONDS = 300

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 1 << 20


@app.post("/hooks")
def receive() -> tuple[str, int]:
    # The bytes that were signed, before any JSON parser.
    body = request.get_data()
    if not is_genuine(body, request.headers, os.environ.get("SIGNING_SECRET")):
        return refused("The delivery is not genuine.")
    event = event_in(body)
    # A delivery of another event's id is none of the service's.
    if event.get("id") != request.headers["webhook-id"]:
        return refused("The delivery is of another event.")
    # Store it before the response: what is acknowledged is not sent again. It may come twice: remember the ids.
    print(event["type"], event["id"], flush=True)
    return "", 204


def refused(reason: str) -> tuple[str, int]:
    print("Refused:", reason, file=sys.stderr, flush=True)
    return "", 401


def is_genuine(body: bytes, headers: Mapping[str, str], signing_secret: str | None) -> bool:
    """Whether a delivery is the service's own, and was sent in the last five minutes."""
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # An id is ASCII: other bytes of a header are read differently by different servers.
    if not re.fullmatch("[!-~]+", event_id) or not re.fullmatch("[0-9]{1,12}", sent_at):
        return False
    # Everybody can sign with an empty key: without a secret nothing is genuine.
    if not signing_secret:
        return False
    if abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    try:
        key = base64.b64decode(signing_secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        return False
    digest = hmac.digest(key, f"{event_id}.{sent_at}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    # After a rotation there is a signature for each of the two secrets.
    signatures = headers.get("webhook-signature", "").split(" ")
    return len(key) > 0 and any(hmac.compare_digest(expected, each.encode()) for each in signatures)


def event_in(body: bytes) -> dict:
    try:
        event = json.loads(body)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


# Try it: pip install flask
# SIGNING_SECRET=whsec_… python3 receiver.py
if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "4000")))
