import { expect, test } from "vitest";
import { generateApiKey } from "#api-keys/api-key";
import { onPrivateFunctions } from "./running-command.ts";

const REVOKED = {
  keyId: `key_${"0".repeat(26)}`,
  orgId: "acme",
  name: "sync",
  createdAt: "",
  revokedAt: "now",
};

/** Runs `keys revoke`, and returns what the private function gets. */
async function revoking(key: string) {
  const sent: unknown[] = [];
  const ended = await onPrivateFunctions(["keys", "revoke", "--key", key], (input) => {
    sent.push(input);
    return JSON.stringify(REVOKED);
  });
  return { ...ended, sent };
}

test("a key is revoked by its id", async () => {
  expect(await revoking(REVOKED.keyId)).toMatchObject({ code: 0, sent: [{ keyId: REVOKED.keyId }] });
});

test.each([generateApiKey("development"), generateApiKey("production").slice(0, -3), "acme-1", ""])(
  "what is no key's id, such as the key itself, is neither sent nor printed (%#)",
  async (key) => {
    const { code, stdout, stderr, sent } = await revoking(key);

    expect({ code, stdout, sent }).toEqual({ code: 2, stdout: "", sent: [] });
    expect(stderr).toMatch(/^error: --key: the id of a key is expected.+ keys identify .+\n/);
    if (key !== "") expect(stderr).not.toContain(key);
  },
);

test("the name of a new key, which may have been pasted, stays in its line", async () => {
  const name = "sync\nrr_live_another\u202e";
  const create = ["keys", "create", "--org", "acme", "--name", name];
  const { stdout } = await onPrivateFunctions(create, (input) =>
    JSON.stringify({ ...REVOKED, name: input["name"], apiKey: "rr_live_x" }),
  );

  expect(stdout.split("\n")[0]).toContain(", named sync\ufffdrr_live_another\ufffd, expires ");
});
