/** A JSON object of which nothing else is known. */
export interface JsonObject {
  [name: string]: unknown;
}
