import hashlib
import hmac
import os
import sys


def is_genuine(body: bytes, signature: str, signing_secret: str | None) -> bool:
    """Whether a delivery is the service's own: signature is its X-RR-Signature, body its bytes as received."""
    # Everybody can sign with an empty key: without a secret nothing is genuine.
    if not signing_secret:
        return False
    digest = hmac.new(signing_secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"sha256={digest}".encode(), signature.encode())


# Try it: SIGNING_SECRET=whsec_… python3 verify.py 'sha256=…' < body.json
if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("Usage: SIGNING_SECRET=whsec_... python3 verify.py 'sha256=...' < body.json", file=sys.stderr)
        sys.exit(2)
    genuine = is_genuine(sys.stdin.buffer.read(), sys.argv[1], os.environ.get("SIGNING_SECRET"))
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
