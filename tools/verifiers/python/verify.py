"""Verifies a delivery with the Python library of Standard Webhooks."""

import json
import sys

from standardwebhooks import Webhook

with open(sys.argv[1], encoding="utf-8") as file:
    delivery = json.load(file)

Webhook(delivery["signingSecret"]).verify(delivery["body"].encode(), delivery["headers"])
