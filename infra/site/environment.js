/** The base URL of the environment that serves the page. Assets are three folders below it. */
export const baseUrl = new URL("../../..", import.meta.url).href.replace(/\/$/, "");

/** A key of the local stack, and whose it is; undefined in every other environment. */
export async function localKey() {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== "http:" || !["127.0.0.1", "localhost", "[::1]"].includes(hostname)) return undefined;
  const response = await fetch(`${baseUrl}/console/keys`);
  if (!response.ok) return undefined;
  const { organisations } = await response.json();
  return organisations[0];
}
