import { expect, test } from "vitest";
import { wait } from "../../client/src/wait.ts";

test("a wait that is longer than Node's timers does not end at once", async () => {
  const abortion = new AbortController();
  const waiting = wait(2 ** 40, abortion.signal);

  // A timer that overflows fires after 1 ms, before this one.
  await expect(Promise.race([waiting, wait(20, undefined).then(() => "later")])).resolves.toBe("later");

  abortion.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});
