import { InvalidParameterException, ResourceNotFoundException } from "@aws-sdk/client-secrets-manager";

interface Input {
  readonly SecretId: string;
  readonly SecretString?: string;
  readonly VersionStages?: readonly string[];
  readonly VersionStage?: string;
  readonly MoveToVersionId?: string;
  readonly RemoveFromVersionId?: string;
}

/** The versions of a secret, and which version a staging label is on. */
interface Secret {
  readonly versions: string[];
  readonly stages: Map<string, string>;
}

const CURRENT = "AWSCURRENT";

/** Secrets Manager, as far as the service uses it. The versions of a secret are counted from 1. */
export class SimulatedSecrets {
  readonly #secrets = new Map<string, Secret>();

  constructor(secrets: Readonly<Record<string, string>>) {
    for (const [secretId, value] of Object.entries(secrets)) {
      this.#secrets.set(secretId, { versions: [value], stages: new Map([[CURRENT, "1"]]) });
    }
  }

  /**
   * @throws ResourceNotFoundException for a secret or a version that there is not
   * @throws InvalidParameterException for a label that is on another version than the one it is taken from
   */
  handle(action: string, input: object): object {
    const given = input as Input;
    const secret = this.#secrets.get(given.SecretId) ?? notFound();
    switch (action) {
      case "GetSecretValue": {
        const VersionId = secret.stages.get(CURRENT) ?? notFound();
        return { SecretString: secret.versions[Number(VersionId) - 1], VersionId };
      }
      case "PutSecretValue": {
        const VersionId = String(secret.versions.push(given.SecretString ?? ""));
        for (const stage of given.VersionStages ?? [CURRENT]) secret.stages.set(stage, VersionId);
        return { VersionId };
      }
      case "UpdateSecretVersionStage":
        return move(secret, given);
      default:
        throw new Error(`The action ${action} of Secrets Manager is not simulated.`);
    }
  }
}

/** A label that is on another version is only moved from the one that the caller names (API reference). */
function move(
  secret: Secret,
  { VersionStage = "", MoveToVersionId = "", RemoveFromVersionId }: Input,
): object {
  const holder = secret.stages.get(VersionStage);
  if (holder !== undefined && holder !== MoveToVersionId && holder !== RemoveFromVersionId) {
    const message = `Staging label ${VersionStage} is currently attached to version ${holder}.`;
    throw new InvalidParameterException({ message, $metadata: { httpStatusCode: 400 } });
  }
  if (secret.versions[Number(MoveToVersionId) - 1] === undefined) notFound();
  secret.stages.set(VersionStage, MoveToVersionId);
  return {};
}

function notFound(): never {
  const $metadata = { httpStatusCode: 400 };
  throw new ResourceNotFoundException({ message: "Secrets Manager can't find the secret.", $metadata });
}
