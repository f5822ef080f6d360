import { join } from "node:path";
import { expect, test } from "vitest";
import { SecretsManager } from "../../local/secrets-manager.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

test("A staging label moves only from the version that holds it, so that of two rotations at once one fails", async () => {
  const secrets = new SecretsManager(join(await temporaryFolder(), "secrets.json"));
  secrets.deploy({ name: "keyring", arn: "arn:keyring", initialValue: () => "first" });
  const of = { SecretId: "keyring" };
  const value = () => secrets.call("GetSecretValue", of);
  const { VersionId: first } = value() as { VersionId: string };
  const put = (ClientRequestToken: string) =>
    secrets.call("PutSecretValue", {
      ...of,
      ClientRequestToken,
      SecretString: ClientRequestToken,
      VersionStages: ["AWSPENDING"],
    });
  const move = (MoveToVersionId: string, RemoveFromVersionId?: string) =>
    secrets.call("UpdateSecretVersionStage", {
      ...of,
      VersionStage: "AWSCURRENT",
      MoveToVersionId,
      ...(RemoveFromVersionId && { RemoveFromVersionId }),
    });
  put("second");
  put("third");

  expect(() => move("second")).toThrow(`currently attached to version ${first}`);
  move("second", first);
  expect(() => move("third", first)).toThrow("currently attached to version second");
  expect(value()).toMatchObject({ SecretString: "second" });
});
