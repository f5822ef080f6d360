import type { EndpointRow } from "../page-data.ts";

/** The end of an id that differs between endpoints: its last characters are random. */
const DISTINGUISHING = 6;

type Named = Pick<EndpointRow, "key" | "url">;

/** An endpoint's URL, with the end of its id if another of these endpoints has the same URL. */
export function endpointName({ key, url }: Named, endpoints: readonly Named[]): string {
  const isShared = endpoints.some((each) => each.url === url && each.key !== key);
  return isShared ? `${url} (…${key.slice(-DISTINGUISHING)})` : url;
}
