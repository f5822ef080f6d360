import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIGatewayProxyResult } from "aws-lambda";
import * as z from "zod/mini";
import { NotFound } from "#contract/errors";

const Index = z.record(z.string(), z.object({ file: z.string(), headers: z.record(z.string(), z.string()) }));

/** Files served unchanged, each with its own headers, from the folder of a function's bundle. */
export class Site {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, z.infer<typeof Index>[string]>;

  /** @param folder contains the files, and an `index.json` with the file and headers of each path */
  constructor(folder: string) {
    this.#folder = folder;
    const index = Index.parse(JSON.parse(readFileSync(join(folder, "index.json"), "utf8")));
    this.#files = new Map(Object.entries(index));
  }

  /**
   * The file at a path, or 304 if it matches the caller's `If-None-Match`.
   *
   * @throws NotFound if there is none
   */
  respond(path: string, ifNoneMatch = ""): APIGatewayProxyResult {
    const found = this.#files.get(path);
    if (!found) throw new NotFound("There is no such page. The documentation begins at /docs.");
    const { file, headers } = found;
    const tag = headers["ETag"];
    // RFC 9110 section 13.1.2: a weak tag, which a proxy may have made, matches too, and `*` matches any page.
    const known = ifNoneMatch.split(",").map((given) => given.trim().replace(/^W\//, ""));
    if (tag !== undefined && (known.includes(tag) || known.includes("*")))
      return { statusCode: 304, headers, body: "" };
    return { statusCode: 200, headers, body: readFileSync(join(this.#folder, file), "utf8") };
  }
}
