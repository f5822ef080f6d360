import { type Duration, Stack, Validations } from "aws-cdk-lib";
import {
  type Alias,
  Architecture,
  Code,
  type EventSourceMappingOptions,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { bundleOf } from "./bundles.ts";
import { reservedConcurrency } from "./concurrency.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { FunctionRole } from "./function-role.ts";
import { allow, type Grant } from "./grant.ts";
import { removalPolicyOf } from "./removal-policy.ts";

/** The service name in logs and metrics of the functions. */
export const SERVICE_NAME = "candidate-service";

// Lambda keeps this setting for the function, not for its versions (Lambda API, PutFunctionRecursionConfig), and
// refuses a version that differs from the latest one in nothing else.
LambdaFunction.classifyVersionProperty("RecursiveLoop", false);

interface ServiceFunctionProps {
  readonly settings: EnvironmentSettings;
  readonly description: string;
  /** In MB. CPU is proportional to it; 1,769 MB are one vCPU (AWS Lambda quotas). */
  readonly memorySize: number;
  readonly timeout: Duration;
  /** Whether Lambda allows the function to send messages to its own event source. Lambda's default is to stop it. */
  readonly recursiveLoop?: RecursiveLoop;
  /**
   * Whether it is called so rarely that a gradual deployment would end before the new code has been called: all of its
   * calls go to the new code at once.
   */
  readonly isRarelyCalled?: boolean;
  /**
   * Whether it runs for each event. If so, Lambda does not write its own two lines of each successful invocation, which
   * are about 0.7 KB together: the function's own lines have the request id, and the metric Duration has the time.
   * Lambda logs these lines at INFO, its default (AWS Lambda developer guide, "Log-level filtering"); failures are
   * logged at WARN and above.
   */
  readonly runsForEachEvent?: boolean;
  /** Its permissions, in addition to writing its log, and their environment variables. */
  readonly grants: readonly Grant[];
}

/**
 * One Lambda function with its own bundle, role and log. The construct's id in kebab-case is the name of its file in a
 * folder of `functions/` and, after the stack's name, the function's name.
 */
export class ServiceFunction extends LambdaFunction {
  /** Whether new code first receives a part of the calls. */
  readonly deploysGradually: boolean;
  #alias: Alias | undefined;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { settings, grants } = props;
    const name = kebabCase(id);
    const functionName = `${Stack.of(scope).stackName}-${name}`;
    const logGroup = new LogGroup(scope, `${id}Log`, {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: settings.logRetention,
      removalPolicy: removalPolicyOf(settings),
    });
    const role = new FunctionRole(scope, `${id}Role`);
    role.addToPolicy(allow(logGroup.logGroupArn, "logs:CreateLogStream", "logs:PutLogEvents"));
    super(scope, id, {
      functionName,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundleOf(name)),
      handler: "index.handler",
      memorySize: props.memorySize,
      timeout: props.timeout,
      ...(props.recursiveLoop && { recursiveLoop: props.recursiveLoop }),
      ...reservedConcurrency(settings, name),
      environment: {
        ...Object.assign({}, ...grants.map(({ environment }) => environment)),
        POWERTOOLS_SERVICE_NAME: SERVICE_NAME,
      },
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      ...(props.runsForEachEvent && { systemLogLevelV2: SystemLogLevel.WARN }),
      tracing: Tracing.ACTIVE,
    });
    Validations.of(role).acknowledge({
      id: "AwsSolutions::AwsSolutions-IAM5[Resource::*]",
      reason:
        "Used only for actions that support no resource (traces, listing streams); a test verifies this.",
    });
    for (const statement of grants.flatMap(({ statements }) => statements)) this.addToRolePolicy(statement);
    this.deploysGradually = settings.gradualDeployment && !props.isRarelyCalled;
  }

  /** The target of callers and event sources: the alias that gradual deployments move, or the function itself. */
  get live(): IFunction {
    // The library's types disagree on whether an alias's role may be undefined.
    return this.deploysGradually ? (this.alias as IFunction) : this;
  }

  /** The version that is live. */
  get alias(): Alias {
    this.#alias ??= this.addAlias("live");
    return this.#alias;
  }

  /** Invokes the function with the messages of a queue. */
  consume(queue: IQueue, options: EventSourceMappingOptions): void {
    // The actions that Lambda needs, as in AWSLambdaSQSQueueExecutionRole. SqsEventSource would grant more.
    this.addToRolePolicy(
      allow(queue.queueArn, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"),
    );
    this.live.addEventSourceMapping(queue.node.id, { ...options, eventSourceArn: queue.queueArn });
  }
}

/** Converts `CreateCandidate` to `create-candidate`. */
function kebabCase(id: string): string {
  return id.replaceAll(/\B[A-Z]/g, "-$&").toLowerCase();
}
