import { join } from "node:path";
import { expect, test } from "vitest";
import { readSecrets, SecretsManager } from "../../local/secrets-manager.ts";
import { Template } from "../../local/template.ts";
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
  expect(() => move("fourth", "second")).toThrow(
    expect.objectContaining({ code: "ResourceNotFoundException" }),
  );
  expect(value()).toMatchObject({ SecretString: "second" });
});

test("A secret's value and staging labels are kept over restarts and deployments", async () => {
  const file = join(await temporaryFolder(), "secrets.json");
  const Keyring = {
    Type: "AWS::SecretsManager::Secret",
    Properties: {
      Name: "candidate-keyring",
      GenerateSecretString: {
        SecretStringTemplate: "{}",
        GenerateStringKey: "1",
        PasswordLength: 32,
        ExcludePunctuation: true,
      },
    },
  };
  const options = { stackName: "Fixture", queuesEndpoint: "http://localhost" };
  const [keyring] = readSecrets(new Template({ Resources: { Keyring } }, options));
  if (!keyring) throw new Error("The template has no secret.");
  const started = () => {
    const secrets = new SecretsManager(file);
    secrets.deploy(keyring);
    return secrets;
  };
  const value = (SecretId = "candidate-keyring") =>
    started().call("GetSecretValue", { SecretId }) as { VersionId: string; CreatedDate: number };
  const first = value();
  expect(value()).toEqual(first);
  expect(value(keyring.arn)).toEqual(first);
  expect(Math.abs(first.CreatedDate - Date.now() / 1000)).toBeLessThan(60);

  const secrets = started();
  const of = { SecretId: "candidate-keyring" };
  const put = { ...of, ClientRequestToken: "second", SecretString: "second", VersionStages: ["AWSPENDING"] };
  secrets.call("PutSecretValue", put);
  expect(value()).toEqual(first);
  secrets.call("UpdateSecretVersionStage", {
    ...of,
    VersionStage: "AWSCURRENT",
    MoveToVersionId: "second",
    RemoveFromVersionId: first.VersionId,
  });
  expect(value()).toMatchObject({ SecretString: "second", VersionStages: ["AWSPENDING", "AWSCURRENT"] });
});

test("The value of a secret is the one that has the label AWSCURRENT, whatever labels others have", async () => {
  const secrets = new SecretsManager(join(await temporaryFolder(), "secrets.json"));
  secrets.deploy({ name: "keyring", arn: "arn:keyring", initialValue: () => "first" });
  const put = (SecretString: string, more: object) =>
    secrets.call("PutSecretValue", {
      SecretId: "keyring",
      SecretString,
      ClientRequestToken: SecretString,
      ...more,
    });

  put("pending", { VersionStages: ["AWSPENDING"] });
  put("second", {});

  expect(secrets.call("GetSecretValue", { SecretId: "keyring" })).toMatchObject({ SecretString: "second" });
  expect(() => put("second", { SecretString: "other" })).toThrow(
    expect.objectContaining({ code: "ResourceExistsException" }),
  );
});
