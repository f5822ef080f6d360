import { readFile, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLog } from "../../local/logs.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

// Linux alone has a device that is always full.
test.skipIf(process.platform !== "linux")(
  "A log on a full disk is reported once, and goes on when there is space again",
  async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "functions.log");
    await symlink("/dev/full", file);
    const faults: unknown[] = [];
    let reported = Promise.withResolvers<void>();
    const log = openLog(file, (error) => {
      faults.push(error);
      reported.resolve();
    });
    const full = expect.objectContaining({ code: "ENOSPC" });
    log.write("first");
    await reported.promise;
    log.write("second");
    await log.close();
    expect(faults).toEqual([full]);

    await unlink(file);
    log.write("third");
    await log.close();
    expect(await readFile(file, "utf8")).toBe("\nthird\n");

    reported = Promise.withResolvers<void>();
    await unlink(file);
    await symlink("/dev/full", file);
    log.write("fourth");
    await reported.promise;
    expect(faults).toEqual([full, full]);
  },
);
