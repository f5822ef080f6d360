import { expect, test } from "vitest";
import { onPrivateFunctions } from "./running-command.ts";

test("resealing goes on until nothing is left, and counts the endpoints of all rounds", async () => {
  const rounds = [100, 100, 7, 0];
  const { code, stdout } = await onPrivateFunctions(["keyring", "reseal"], () =>
    JSON.stringify({ resealed: rounds.shift() ?? 0 }),
  );

  expect(code).toBe(0);
  expect(stdout).toBe("Resealed the signing secrets of 207 endpoints.\n");
});
