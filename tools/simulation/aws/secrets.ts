import { ResourceNotFoundException } from "@aws-sdk/client-secrets-manager";

/** Secrets Manager, as far as the service uses it. */
export class SimulatedSecrets {
  readonly #values = new Map<string, string>();

  constructor(secrets: Readonly<Record<string, string>>) {
    for (const [secretId, value] of Object.entries(secrets)) this.#values.set(secretId, value);
  }

  /** @throws ResourceNotFoundException for a secret that there is not */
  handle(action: string, input: object): object {
    const { SecretId, SecretString } = input as { SecretId: string; SecretString?: string };
    const value = this.#values.get(SecretId);
    if (value === undefined) {
      const $metadata = { httpStatusCode: 400 };
      throw new ResourceNotFoundException({ message: "Secrets Manager can't find the secret.", $metadata });
    }
    switch (action) {
      case "GetSecretValue":
        return { SecretString: value };
      case "PutSecretValue":
        this.#values.set(SecretId, SecretString ?? "");
        return {};
      default:
        throw new Error(`The action ${action} of Secrets Manager is not simulated.`);
    }
  }
}
