import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalService, startLocalService } from "../../local/service/local-service.ts";

/** Of compiled functions, as for `npm start`. */
const CODE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/compiled");

/** Measures on a local stack with an empty folder for its data, without throttling. */
export async function onLocalService<Measured>(
  measure: (stack: LocalService) => Promise<Measured>,
): Promise<Measured> {
  process.env["NODE_COMPILE_CACHE"] = CODE_CACHE;
  const dataDir = await mkdtemp(join(tmpdir(), "bench-"));
  const stack = await startLocalService({ dataDir, throttling: false });
  try {
    return await measure(stack);
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
