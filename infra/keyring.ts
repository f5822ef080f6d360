import { Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { allow, type Grant } from "./grant.ts";
import { removalPolicyOf } from "./removal-policy.ts";

interface KeyringProps {
  readonly settings: EnvironmentSettings;
}

/** The keys with which signing secrets are sealed; see `lib/webhooks/endpoints/keyring.ts`. */
export class Keyring extends Secret {
  constructor(scope: Construct, id: string, { settings }: KeyringProps) {
    super(scope, id, {
      description: "The keys that seal webhook signing secrets, and the id of the current key",
      // Never change this: CloudFormation would generate another keyring, without the keys that have sealed secrets.
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ current: "1" }),
        generateStringKey: "1",
        passwordLength: 64,
        excludePunctuation: true,
      },
      removalPolicy: removalPolicyOf(settings),
    });
    Validations.of(this).acknowledge({
      id: "AwsSolutions::AwsSolutions-SMG4",
      reason:
        "A key is rotated by adding one to the keyring. Scheduled rotation would replace it and lose secrets.",
    });
  }

  reading(): Grant {
    return this.#grant("secretsmanager:GetSecretValue");
  }

  replacing(): Grant {
    return this.#grant("secretsmanager:PutSecretValue", "secretsmanager:UpdateSecretVersionStage");
  }

  #grant(...actions: readonly string[]): Grant {
    return {
      statements: [allow(this.secretArn, ...actions)],
      environment: { KEYRING_SECRET_ID: this.secretArn },
    };
  }
}
