/** An address as it precedes a path. */
export function withoutTrailingSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "");
}

/** The host and port of an address. */
export function hostOf(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}
