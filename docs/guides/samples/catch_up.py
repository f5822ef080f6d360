import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen


def catch_up(checkpoint: Path, handle: Callable[[dict], None]) -> None:
    """Handles every event since the checkpoint in a file. It may get an event twice: remember the ids."""
    cursor = checkpoint.read_text() if checkpoint.exists() else ""
    has_more = True
    while has_more:
        page = get_page(cursor)
        for event in page["data"]:
            handle(event)
        # Only now: after a crash the page is read again.
        new = Path(f"{checkpoint}.new")
        new.write_text(page["nextCursor"])
        new.replace(checkpoint)
        cursor, has_more = page["nextCursor"], page["hasMore"]


def get_page(cursor: str) -> dict:
    """The page after a cursor. If the cursor is too old: from the oldest event that is kept."""
    query = urlencode({"cursor": cursor} if cursor else {})
    request = Request(f"{os.environ['BASE']}/v1/events?{query}", headers={"X-API-Key": os.environ["KEY"]})
    while True:
        try:
            with urlopen(request, timeout=30) as response:
                return json.load(response)
        except HTTPError as error:
            message = error.read().decode()
            if error.code == 400 and cursor and json.loads(message)["error"] == "events_expired":
                print("Events may be lost:", message, file=sys.stderr)
                return get_page("")
            if error.code != 429 and error.code < 500:
                raise RuntimeError(message) from error
            # Seconds; a proxy may send a date instead.
            wait = error.headers.get("Retry-After", "")
            time.sleep(int(wait) if wait.isdecimal() else 1)


# Try it: BASE=https://… KEY=rr_dev_… python3 catch_up.py checkpoint.txt
if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("Usage: python3 catch_up.py <checkpoint file>", file=sys.stderr)
        sys.exit(2)
    catch_up(Path(sys.argv[1]), lambda event: print(event["id"], event["type"]))
