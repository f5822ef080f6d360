import { errors } from "undici";
import { describe, expect, test } from "vitest";
import {
  AddressRefused,
  AttemptTimedOut,
  BodyNotRead,
  failureOf,
  InvalidStatusCode,
  NameNotResolved,
  ProtocolSwitched,
  ResponseTooLong,
} from "#webhooks/delivery/attempt-failure";

const withCode = (code: unknown) => Object.assign(new Error("x"), { code });

describe("a delivery attempt without a response", () => {
  test.each([
    [new AddressRefused(), "address_refused"],
    [new NameNotResolved({ cause: withCode("ENOTFOUND") }), "name_not_resolved"],
    [new AttemptTimedOut(), "timeout"],
    [new errors.ConnectTimeoutError(), "timeout"],
    [new errors.HeadersTimeoutError(), "timeout"],
    [new errors.BodyTimeoutError(), "timeout"],
    [new errors.HTTPParserError(), "invalid_response"],
    [new errors.ResponseContentLengthMismatchError(), "invalid_response"],
    [new errors.HeadersOverflowError(), "invalid_response"],
    [new InvalidStatusCode(), "invalid_response"],
    [new ProtocolSwitched(), "invalid_response"],
    [new ResponseTooLong(), "invalid_response"],
    [new errors.SocketError(), "connection_failed"],
    [new BodyNotRead(), "connection_failed"],
    [new Error("x"), "connection_failed"],
    ["a text", "connection_failed"],
    [undefined, "connection_failed"],
  ])("that failed with %o is recorded as %s", (thrown, failure) => {
    expect(failureOf(thrown)).toBe(failure);
  });

  test.each([
    ["timeout", ["ETIMEDOUT", "ERR_SOCKET_CONNECTION_TIMEOUT", "ERR_TLS_HANDSHAKE_TIMEOUT"]],
    ["tls_failed", ["ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_WRONG_VERSION_NUMBER"]],
    ["connection_failed", ["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "X_ERR_TLS_", undefined]],
  ])("that failed with an error code of Node.js is recorded as %s", (failure, codes) => {
    for (const code of codes) expect(failureOf(withCode(code)), code).toBe(failure);
  });

  // Node.js, "TLS", "X509 certificate error codes"; the last one stands for every other reason.
  test.each([
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
  ])("that failed with the certificate error %s is recorded as tls_failed", (code) => {
    expect(failureOf(withCode(code))).toBe("tls_failed");
  });

  test.each([
    [new AddressRefused(), "The address of the receiver is not public."],
    [new NameNotResolved({}), "The receiver's host name could not be resolved."],
    [new AttemptTimedOut(), "The receiver did not respond in time."],
    [new BodyNotRead(), "The response body is too long or too slow to be read."],
    [new ProtocolSwitched(), "The receiver switched to another protocol."],
  ])("has an error message that says what is wrong: %o", (error, sentence) => {
    expect(error.message).toBe(sentence);
  });
});
