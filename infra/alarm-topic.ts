import { Aws, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Effect, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import type { EnvironmentSettings } from "./environment-settings.ts";

interface AlarmTopicProps {
  readonly settings: EnvironmentSettings;
}

/**
 * The topic that alarms notify. Encrypted with its own key: alarms cannot publish with SNS's default key, because that
 * key's policy does not allow CloudWatch.
 */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { settings }: AlarmTopicProps) {
    const key = new Key(scope, `${id}Key`, {
      description: `Encrypts notifications of ${Stack.of(scope).stackName}'s alarms`,
      enableKeyRotation: true,
      pendingWindow: Duration.days(7),
      // Nothing stored needs the key: notifications are sent at once.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    super(scope, id, { enforceSSL: true, masterKey: key });
    // A topic with its own policy loses the default one, which lets the account's services publish.
    this.addToResourcePolicy(byAlarms(["sns:Publish"], this.topicArn));
    key.addToResourcePolicy(byAlarms(["kms:Decrypt", "kms:GenerateDataKey*"], "*"));
    if (settings.alarmAddress) this.addSubscription(new EmailSubscription(settings.alarmAddress));
  }
}

function byAlarms(actions: string[], resource: string): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.ALLOW,
    principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
    actions,
    resources: [resource],
    conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
  });
}
