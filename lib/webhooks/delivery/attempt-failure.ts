import { errors } from "undici";
import type { DeliveryFailure } from "#contract/webhook-delivery";

/** The receiver's address is one that deliveries must not connect to. */
export class AddressRefused extends Error {
  constructor() {
    super("The address of the receiver is not public.");
  }
}

/** The receiver's host name has no address. */
export class NameNotResolved extends Error {
  constructor(options: ErrorOptions) {
    super("The receiver's host name could not be resolved.", options);
  }
}

/** The attempt timed out. */
export class AttemptTimedOut extends Error {
  constructor() {
    super("The receiver did not respond in time.");
  }
}

/** The rest of a response's body is not read, because it is long or slow. */
export class BodyNotRead extends Error {
  constructor() {
    super("The response body is too long or too slow to be read.");
  }
}

/** The receiver sent more than is read of a response. */
export class ResponseTooLong extends Error {
  constructor() {
    super("The receiver's response is too long.");
  }
}

/** The receiver sent a status code below 100, for which undici has no error: it asserts that there is none. */
export class InvalidStatusCode extends Error {
  constructor() {
    super("The receiver's status code is below 100.");
  }
}

/** The receiver sent a 101, which no request asks for. */
export class ProtocolSwitched extends Error {
  constructor() {
    super("The receiver switched to another protocol.");
  }
}

/** Node's error codes for connections that timed out (Node.js, "Errors"). */
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "ERR_SOCKET_CONNECTION_TIMEOUT",
  "ERR_TLS_HANDSHAKE_TIMEOUT",
]);

/** The prefixes of Node's error codes for TLS, and of OpenSSL's for its protocol (Node.js, "Errors"). */
const TLS_CODE = /^ERR_(?:TLS|SSL)_/;

/**
 * The codes of a certificate that fails verification (Node.js, "TLS", "X509 certificate error codes"). For reasons that
 * Node has no code for, such as a key that is too short, it has the last one, which it does not document.
 */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_CRL",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "CERT_SIGNATURE_FAILURE",
  "CRL_SIGNATURE_FAILURE",
  "CERT_NOT_YET_VALID",
  "CERT_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "ERROR_IN_CRL_LAST_UPDATE_FIELD",
  "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_CHAIN_TOO_LONG",
  "CERT_REVOKED",
  "INVALID_CA",
  "PATH_LENGTH_EXCEEDED",
  "INVALID_PURPOSE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "HOSTNAME_MISMATCH",
  "UNSPECIFIED",
]);

/** Why an attempt received no response, or none that can be read. */
export function failureOf(thrown: unknown): DeliveryFailure {
  if (thrown instanceof AddressRefused) return "address_refused";
  if (thrown instanceof NameNotResolved) return "name_not_resolved";
  if (isTimeout(thrown)) return "timeout";
  if (isInvalidResponse(thrown)) return "invalid_response";
  const code = codeOf(thrown);
  return TLS_CODE.test(code) || CERTIFICATE_CODES.has(code) ? "tls_failed" : "connection_failed";
}

function isTimeout(thrown: unknown): boolean {
  return (
    thrown instanceof AttemptTimedOut ||
    thrown instanceof errors.ConnectTimeoutError ||
    thrown instanceof errors.HeadersTimeoutError ||
    thrown instanceof errors.BodyTimeoutError ||
    TIMEOUT_CODES.has(codeOf(thrown))
  );
}

/**
 * Whether the receiver responded with what is no HTTP/1.1 response, or with more headers than are read. undici has an
 * error of its own for a head that is invalid after its `Content-Length`, such as one with a `Transfer-Encoding` too.
 */
function isInvalidResponse(thrown: unknown): boolean {
  return (
    thrown instanceof InvalidStatusCode ||
    thrown instanceof ProtocolSwitched ||
    thrown instanceof ResponseTooLong ||
    thrown instanceof errors.HTTPParserError ||
    thrown instanceof errors.ResponseContentLengthMismatchError ||
    thrown instanceof errors.HeadersOverflowError
  );
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}
