import { expect, test } from "vitest";
import { onPrivateFunctions } from "./running-command.ts";

test("resealing goes on until nothing is left, and counts the endpoints of all rounds", async () => {
  const rounds = [100, 100, 7, 0];
  const { code, stdout } = await onPrivateFunctions(["keyring", "reseal"], () =>
    JSON.stringify({ resealed: rounds.shift() ?? 0, unopened: 0 }),
  );

  expect(code).toBe(0);
  expect(stdout).toBe("Resealed the signing secrets of 207 endpoints.\n");
});

test("resealing one secret speaks of one endpoint", async () => {
  const rounds = [1, 0];
  const { stdout } = await onPrivateFunctions(["keyring", "reseal"], () =>
    JSON.stringify({ resealed: rounds.shift() ?? 0, unopened: 0 }),
  );

  expect(stdout).toBe("Resealed the signing secrets of 1 endpoint.\n");
});

test.each([
  [1, "1 endpoint"],
  [2, "2 endpoints"],
])(
  "resealing fails if %i of the secrets cannot be opened, and says how many",
  async (unopened, endpoints) => {
    const rounds = [{ resealed: 7, unopened: 0 }];
    const { code, stdout, stderr } = await onPrivateFunctions(["keyring", "reseal"], () =>
      JSON.stringify(rounds.shift() ?? { resealed: 0, unopened }),
    );

    expect(code).toBe(1);
    expect(stdout).toBe("Resealed the signing secrets of 7 endpoints.\n");
    expect(stderr).toContain(
      `The signing secrets of ${endpoints} cannot be opened: see docs/operations.md#keys`,
    );
  },
);
