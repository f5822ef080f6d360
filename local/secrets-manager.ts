import { randomInt, randomUUID } from "node:crypto";
import * as z from "zod";
import { readKept, writePrivately } from "./machine/kept-file.ts";
import type { Template } from "./template.ts";

/** The rules of a generated secret that the local stack supports: letters and digits in a member of a JSON object. */
const GenerateSecretString = z.strictObject({
  SecretStringTemplate: z.string(),
  GenerateStringKey: z.string(),
  PasswordLength: z.coerce.number(),
  ExcludePunctuation: z.literal(true, "The local stack generates letters and digits only."),
});
type GenerateSecretString = z.infer<typeof GenerateSecretString>;

const SecretProperties = z.object({ GenerateSecretString });

/** A secret as defined by the assembly. */
export interface SecretDefinition {
  readonly name: string;
  readonly arn: string;
  readonly initialValue: () => string;
}

export function readSecrets(template: Template): SecretDefinition[] {
  return template.resourcesOf("AWS::SecretsManager::Secret", SecretProperties).map(({ ref, properties }) => ({
    name: nameIn(ref),
    arn: ref,
    initialValue: () => generateSecretString(properties.GenerateSecretString),
  }));
}

/** Secrets Manager's ARN is the name followed by a hyphen and six random characters. */
function nameIn(arn: string): string {
  return (arn.split(":secret:")[1] ?? arn).replace(/-.{6}$/, "");
}

const LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

function generateSecretString(rules: GenerateSecretString): string {
  const secret = Array.from(
    { length: rules.PasswordLength },
    () => LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)],
  ).join("");
  return JSON.stringify({ ...JSON.parse(rules.SecretStringTemplate), [rules.GenerateStringKey]: secret });
}

const Version = z.object({
  id: z.string(),
  stages: z.array(z.string()),
  createdAt: z.number(),
  secretString: z.string().optional(),
});
type Version = z.infer<typeof Version>;

const Secret = z.object({
  name: z.string(),
  arn: z.string(),
  createdAt: z.number(),
  versions: z.array(Version),
});
type Secret = z.infer<typeof Secret>;

const CURRENT = "AWSCURRENT";

/** An error of the Secrets Manager API, with its own code. */
export class SecretsManagerError extends Error {
  override readonly name = "SecretsManagerError";
  readonly code: "ResourceNotFoundException" | "ResourceExistsException" | "InvalidParameterException";

  constructor(code: SecretsManagerError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const SecretRequest = z.object({ SecretId: z.string() });
const ValueRequest = z.object({
  ClientRequestToken: z.string().optional(),
  SecretString: z.string().optional(),
});

/** The part of Secrets Manager that the service uses. Stores its secrets in one private file. */
export class SecretsManager {
  readonly #file: string;
  #secrets: Secret[];

  /** @throws CommandError if the file is damaged */
  constructor(file: string) {
    this.#file = file;
    this.#secrets = this.#read();
  }

  /** Creates a secret if it does not exist. An existing one keeps its value. */
  deploy({ name, arn, initialValue }: SecretDefinition): void {
    if (this.#secrets.some((secret) => secret.arn === arn)) return;
    this.#add({ name, arn, createdAt: now(), versions: [] }, { SecretString: initialValue() });
  }

  /**
   * Performs a call of the AWS JSON protocol, and returns its response.
   *
   * @throws SecretsManagerError as the service would
   */
  call(action: string, input: unknown): unknown {
    switch (action) {
      case "GetSecretValue":
        return this.#getValue(input);
      case "PutSecretValue":
        return this.#putValue(input);
      case "UpdateSecretVersionStage":
        return this.#moveStage(input);
      default:
        throw new SecretsManagerError(
          "InvalidParameterException",
          `The local Secrets Manager does not support ${action}. Add it to local/secrets-manager.ts.`,
        );
    }
  }

  #getValue(input: unknown) {
    const secret = this.#find(z.strictObject(SecretRequest.shape).parse(input));
    const version = secret.versions.find(({ stages }) => stages.includes(CURRENT));
    if (!version) {
      throw new SecretsManagerError(
        "ResourceNotFoundException",
        `Secrets Manager can't find the specified secret value for staging label: ${CURRENT}`,
      );
    }
    return {
      ARN: secret.arn,
      Name: secret.name,
      VersionId: version.id,
      SecretString: version.secretString,
      VersionStages: version.stages,
      CreatedDate: version.createdAt,
    };
  }

  #putValue(input: unknown) {
    const secret = this.#find(input);
    const { VersionStages, ...value } = z
      .object({ ...ValueRequest.shape, VersionStages: z.array(z.string()).default([CURRENT]) })
      .parse(input);
    const known = secret.versions.find(({ id }) => id === value.ClientRequestToken);
    if (known && known.secretString !== value.SecretString) {
      throw new SecretsManagerError(
        "ResourceExistsException",
        `The version ${known.id} has another value, and a version cannot be changed.`,
      );
    }
    const version = known ?? this.#add(secret, value, VersionStages);
    return { ARN: secret.arn, Name: secret.name, VersionId: version.id, VersionStages: version.stages };
  }

  #moveStage(input: unknown) {
    const secret = this.#find(input);
    const { VersionStage, MoveToVersionId, RemoveFromVersionId } = z
      .object({
        VersionStage: z.string(),
        MoveToVersionId: z.string(),
        RemoveFromVersionId: z.string().optional(),
      })
      .parse(input);
    const holder = secret.versions.find(({ stages }) => stages.includes(VersionStage));
    if (holder && RemoveFromVersionId !== holder.id && MoveToVersionId !== holder.id) {
      throw new SecretsManagerError(
        "InvalidParameterException",
        `The parameter RemoveFromVersionId can't be empty. Staging label ${VersionStage} is currently attached to version ${holder.id}.`,
      );
    }
    const target = secret.versions.find(({ id }) => id === MoveToVersionId);
    if (!target) {
      throw new SecretsManagerError("ResourceNotFoundException", `There is no version ${MoveToVersionId}.`);
    }
    label(secret, target, VersionStage);
    this.#save();
    return { ARN: secret.arn, Name: secret.name };
  }

  #add(secret: Secret, value: z.infer<typeof ValueRequest>, stages: readonly string[] = [CURRENT]): Version {
    const version: Version = {
      id: value.ClientRequestToken ?? randomUUID(),
      stages: [],
      createdAt: now(),
      secretString: value.SecretString,
    };
    secret.versions.push(version);
    for (const stage of stages) label(secret, version, stage);
    if (!this.#secrets.includes(secret)) this.#secrets.push(secret);
    this.#save();
    return version;
  }

  #find(input: unknown): Secret {
    const { SecretId } = SecretRequest.parse(input);
    const found = this.#secrets.find(({ name, arn }) => name === SecretId || arn === SecretId);
    if (found) return found;
    throw new SecretsManagerError(
      "ResourceNotFoundException",
      "Secrets Manager can't find the specified secret.",
    );
  }

  #save(): void {
    try {
      writePrivately(this.#file, JSON.stringify(this.#secrets));
    } catch (error) {
      // A caller that repeats its call would find a change that is not stored.
      this.#secrets = this.#read();
      throw error;
    }
  }

  #read(): Secret[] {
    return readKept(this.#file, z.array(Secret)) ?? [];
  }
}

/** Moves a staging label, which is on one version at a time. */
function label(secret: Secret, version: Version, stage: string): void {
  for (const each of secret.versions) each.stages = each.stages.filter((held) => held !== stage);
  version.stages.push(stage);
}

/** AWS JSON writes times in seconds. */
function now(): number {
  return Date.now() / 1000;
}
