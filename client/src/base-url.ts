/** An address as it precedes a path. */
export function withoutTrailingSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "");
}

/** The host and port of an address. */
export function hostOf(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** `localhost`, the names below it (RFC 6761, section 6.3), and the loopback addresses (RFC 1122, section 3.2.1.3). */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether requests to the host name of a URL never leave the machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
