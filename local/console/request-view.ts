import type { RequestView } from "./page-data.ts";

/** The length of the part of a body that is kept and shown, in characters. */
const BODY_SHOWN = 64 * 1024;

/** A request with its body cut to the shown part. */
export function requestView({ url, headers, body, signature }: Omit<RequestView, "cut">): RequestView {
  return { url, headers, body: body.slice(0, BODY_SHOWN), cut: body.length > BODY_SHOWN, signature };
}
