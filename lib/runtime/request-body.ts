import { MIMEType } from "node:util";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { BODY_BYTES, InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from "#contract/errors";
import { headerOf } from "#runtime/request-header";

/** Node's parser keeps only the first charset, and none with a space before its `=`. */
const OTHER_CHARSET = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

// RFC 8259 section 8.1 allows a parser to ignore a byte order mark, which some partners' tools write. The decoder
// removes it.
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Refuses a body of another media type, also if the operation needs none.
 *
 * @throws UnsupportedMediaType if the headers declare anything other than JSON in UTF-8
 */
export function assertMediaType(event: APIGatewayProxyEvent): void {
  if (event.body && !isJsonInUtf8(event)) throw new UnsupportedMediaType();
}

/**
 * The JSON value in a request's body, the media type of which is JSON.
 *
 * @throws PayloadTooLarge above {@link BODY_BYTES}
 * @throws InvalidRequest if the body is not UTF-8, or not JSON
 */
export function readJsonBody(event: APIGatewayProxyEvent): unknown {
  const text = textOf(event);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequest("body: valid JSON is expected");
  }
}

/** Whether the headers declare JSON in UTF-8. A body without a content type is read as JSON. */
function isJsonInUtf8(event: APIGatewayProxyEvent): boolean {
  if (headerOf(event, "content-encoding") !== undefined) return false;
  const contentType = headerOf(event, "content-type");
  if (contentType === undefined) return true;
  try {
    return new MIMEType(contentType).essence === "application/json" && !OTHER_CHARSET.test(contentType);
  } catch {
    return false;
  }
}

function textOf({ body, isBase64Encoded }: APIGatewayProxyEvent): string {
  const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > BODY_BYTES) throw new PayloadTooLarge();
  const text = decode(bytes);
  // If API Gateway passes the body as text, it has replaced bytes that are not UTF-8 with U+FFFD. This cannot be
  // distinguished from a U+FFFD that was sent, and could make two different bodies equal (docs/decisions/0029).
  if (!isBase64Encoded && text.includes("\uFFFD")) throw notUtf8();
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

function notUtf8(): InvalidRequest {
  return new InvalidRequest("body: JSON in UTF-8 is expected");
}
