import { MIMEType } from "node:util";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from "#contract/errors";
import { headerOf } from "#runtime/request-header";

/** The largest body that is accepted, in bytes: in base64 it leaves room in Lambda's 6 MB per call. */
const BODY_BYTES = 4 * 1024 * 1024;

const UTF_8 = /^utf-?8$/i;

// RFC 8259 section 8.1 lets a parser ignore a byte order mark, which the decoder leaves out: some partners'
// tools write one.
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON value that a request's body holds.
 *
 * @throws UnsupportedMediaType when the headers give the body another form than JSON in UTF-8
 * @throws PayloadTooLarge above {@link BODY_BYTES}
 * @throws InvalidRequest when the body is not UTF-8, or not JSON
 */
export function readJsonBody(event: APIGatewayProxyEvent): unknown {
  if (event.body && !isJsonInUtf8(event)) throw new UnsupportedMediaType();
  const text = textOf(event);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequest("body: a JSON object is expected");
  }
}

/** What the headers say of the body; one without a content type is read as JSON. */
function isJsonInUtf8(event: APIGatewayProxyEvent): boolean {
  if (headerOf(event, "content-encoding") !== undefined) return false;
  const contentType = headerOf(event, "content-type");
  if (contentType === undefined) return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === "application/json" && UTF_8.test(params.get("charset") ?? "utf-8");
  } catch {
    return false;
  }
}

function textOf({ body, isBase64Encoded }: APIGatewayProxyEvent): string {
  const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > BODY_BYTES) throw new PayloadTooLarge(`Send a body of at most ${BODY_BYTES} bytes.`);
  const text = decode(bytes);
  // A gateway that hands over text has put U+FFFD in place of bytes that are not UTF-8. It cannot be distinguished from
  // a U+FFFD that was sent, and makes two bodies one (docs/decisions/0029).
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
