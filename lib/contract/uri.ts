import { isIPv6 } from "node:net";

/** The longest URI that any member may hold, in characters (contract, "Limits"). */
export const URI_LENGTH = 2048;

// The productions of RFC 3986, appendix A, under the same names. An IPv4 address is also a reg-name, and `isIPv6`
// checks the address in an IPv6 literal. No repetition matches the character that follows it, so matching takes
// linear time.
const unreserved = "A-Za-z0-9\\-._~";
const subDelims = "!$&'()*+,;=";
const pctEncoded = "%[0-9A-Fa-f]{2}";
const pchar = `(?:[${unreserved}${subDelims}:@]|${pctEncoded})`;
const scheme = "[A-Za-z][A-Za-z0-9+\\-.]*";
const userinfo = `(?:[${unreserved}${subDelims}:]|${pctEncoded})*`;
const ipvFuture = `[Vv][0-9A-Fa-f]+\\.[${unreserved}${subDelims}:]+`;
const ipLiteral = `\\[(?:(?<ipv6>[0-9A-Fa-f:.]+)|${ipvFuture})\\]`;
const regName = `(?:[${unreserved}${subDelims}]|${pctEncoded})*`;
const authority = `(?:${userinfo}@)?(?:${ipLiteral}|${regName})(?::[0-9]*)?`;
const pathAbempty = `(?:/${pchar}*)*`;
const pathRootless = `${pchar}+${pathAbempty}`;
const pathAbsolute = `/(?:${pathRootless})?`;
const hierPart = `(?://${authority}${pathAbempty}|${pathAbsolute}|${pathRootless}|)`;
const queryOrFragment = `(?:${pchar}|[/?])*`;
const URI = new RegExp(`^${scheme}:${hierPart}(?:\\?${queryOrFragment})?(?:#${queryOrFragment})?$`);

/** Schemes that execute their content. */
const SCRIPT_SCHEME = /^(?:javascript|vbscript):/i;

/**
 * Whether a text is a URI (RFC 3986) whose scheme does not execute its content. The text is not normalised: the
 * service stores and returns it byte for byte as sent.
 */
export function isUri(value: string): boolean {
  if (value.length > URI_LENGTH || SCRIPT_SCHEME.test(value)) return false;
  const match = URI.exec(value);
  const ipv6 = match?.groups?.["ipv6"];
  return match !== null && (ipv6 === undefined || isIPv6(ipv6));
}
