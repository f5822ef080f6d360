import type { APIGatewayProxyEvent } from "aws-lambda";
import { InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from "#contract/errors";

/** The largest body that is accepted, in bytes of UTF-8: what Lambda's 6 MB per call leaves once escaped. */
const BODY_BYTES = 4 * 1024 * 1024;

const JSON_MEDIA_TYPE = /^\s*application\/json\s*(?:;|$)/i;

/**
 * The JSON value that a request's body holds.
 *
 * @throws UnsupportedMediaType when a Content-Type other than `application/json` is given
 * @throws PayloadTooLarge above {@link BODY_BYTES}
 * @throws InvalidRequest when the body is not JSON
 */
export function readJsonBody(event: APIGatewayProxyEvent, contentType: string | undefined): unknown {
  const body = event.isBase64Encoded
    ? Buffer.from(event.body ?? "", "base64").toString("utf8")
    : (event.body ?? "");
  if (body !== "" && contentType !== undefined && !JSON_MEDIA_TYPE.test(contentType)) {
    throw new UnsupportedMediaType();
  }
  if (Buffer.byteLength(body) > BODY_BYTES) {
    throw new PayloadTooLarge(`Send a body of at most ${BODY_BYTES} bytes.`);
  }
  try {
    // RFC 8259 section 8.1 lets a parser ignore a byte order mark; some partners' tools write one.
    return JSON.parse(body.replace(/^\uFEFF/, ""));
  } catch {
    throw new InvalidRequest("body: a JSON object is expected");
  }
}
