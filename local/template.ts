import * as z from "zod";
import { CommandError } from "./machine/command-error.ts";

/** The account and region of all local resources: those that DynamoDB Local uses. */
export const ACCOUNT = "000000000000";
export const REGION = "us-east-1";

const Resource = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
type Resource = z.infer<typeof Resource>;
const TemplateFile = z.object({ Resources: z.record(z.string(), Resource) });

export function queueArnOf(queueName: string): string {
  return `arn:aws:sqs:${REGION}:${ACCOUNT}:${queueName}`;
}

/**
 * The URL of a queue.
 *
 * @param queuesEndpoint the base URL of the queues, for example `http://host:port`
 * @param queue its name or ARN
 */
export function queueUrlOf(queuesEndpoint: string, queue: string): string {
  return `${queuesEndpoint}/${ACCOUNT}/${queue.split(":").at(-1)}`;
}

/** The function name in a name, a partial ARN or a full ARN, optionally with a version or alias. */
export function functionNameIn(reference: string): string {
  const afterFunction = reference.split(":function:")[1];
  if (afterFunction !== undefined) return afterFunction.split(":")[0] ?? "";
  const parts = reference.split(":");
  return (/^\d{12}$/.test(parts[0] ?? "") ? parts.at(-1) : parts[0]) ?? "";
}

/** What `Ref` and `Fn::GetAtt` return for a resource (CloudFormation resource reference, "Return values"). */
interface ReturnValues {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

interface Named {
  readonly logicalId: string;
  /** The name in a property, or one generated from stack and logical id, as in CloudFormation. */
  name(property: string): string;
}

interface TemplateOptions {
  readonly stackName: string;
  /** The base URL of the queues, for example `http://host:port`. */
  readonly queuesEndpoint: string;
}

/** A CloudFormation template, with references resolved for this machine. */
export class Template {
  readonly #resources: Readonly<Record<string, Resource>>;
  readonly #options: TemplateOptions;
  readonly #returnValues: ReturnType<typeof returnValuesByType>;

  constructor(template: unknown, options: TemplateOptions) {
    this.#resources = TemplateFile.parse(template).Resources;
    this.#options = options;
    this.#returnValues = returnValuesByType(options.queuesEndpoint);
  }

  /** The resources of a type, with the properties in `schema`, resolved and validated. */
  resourcesOf<Schema extends z.ZodObject>(type: string, schema: Schema) {
    return Object.entries(this.#resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([logicalId, { Properties }]) => {
        // Only the properties used here: others may reference resources that do not exist on this machine.
        const used = Object.entries(Properties).filter(([name]) => name in schema.shape);
        const resolved = Object.fromEntries(used.map(([name, value]) => [name, this.resolve(value)]));
        const parsed = schema.safeParse(resolved);
        if (!parsed.success) {
          throw new CommandError(
            `The local stack cannot run ${logicalId} (${type}): ${z.prettifyError(parsed.error)}`,
          );
        }
        return { logicalId, ref: this.#returnValuesOf(logicalId).ref, properties: parsed.data };
      });
  }

  /** The attribute of a resource, as returned by `Fn::GetAtt`. */
  attribute(logicalId: string, attribute: string): string {
    const value = this.#returnValuesOf(logicalId).attributes?.[attribute];
    if (value === undefined) {
      throw new CommandError(
        `The local stack does not support ${logicalId}.${attribute}. Add it to local/template.ts.`,
      );
    }
    return value;
  }

  /** A value with its intrinsic functions resolved. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((element) => this.resolve(element));
    if (typeof value !== "object" || value === null) return value;
    const [[key, argument] = [], ...others] = Object.entries(value);
    if (others.length === 0 && (key === "Ref" || key?.startsWith("Fn::"))) return this.#call(key, argument);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.resolve(member)]));
  }

  #call(intrinsic: string, argument: unknown): unknown {
    switch (intrinsic) {
      case "Ref":
        return this.#reference(z.string().parse(argument));
      case "Fn::GetAtt": {
        const [logicalId, attribute] = z.tuple([z.string(), z.string()]).parse(argument);
        return this.attribute(logicalId, attribute);
      }
      case "Fn::Join": {
        const [separator, parts] = z.tuple([z.string(), z.array(z.string())]).parse(this.resolve(argument));
        return parts.join(separator);
      }
      case "Fn::Split": {
        const [separator, text] = z.tuple([z.string(), z.string()]).parse(this.resolve(argument));
        return text.split(separator);
      }
      case "Fn::Select": {
        const [index, list] = z
          .tuple([z.coerce.number(), z.array(z.unknown())])
          .parse(this.resolve(argument));
        return list[index];
      }
      case "Fn::Sub":
        return z
          .string()
          .parse(argument)
          .replaceAll(/\$\{([^!}]+)\}/g, (_, name: string) => {
            const [logicalId = "", ...attribute] = name.split(".");
            return attribute.length > 0
              ? this.attribute(logicalId, attribute.join("."))
              : this.#reference(logicalId);
          });
      default:
        throw new CommandError(
          `The template uses ${intrinsic}, which the local stack does not support. Add it to local/template.ts.`,
        );
    }
  }

  #reference(name: string): string {
    return this.#pseudoParameter(name) ?? this.#returnValuesOf(name).ref;
  }

  #pseudoParameter(name: string): string | undefined {
    switch (name) {
      case "AWS::AccountId":
        return ACCOUNT;
      case "AWS::Region":
        return REGION;
      case "AWS::Partition":
        return "aws";
      case "AWS::URLSuffix":
        return "amazonaws.com";
      case "AWS::StackName":
        return this.#options.stackName;
      default:
        return undefined;
    }
  }

  #returnValuesOf(logicalId: string): ReturnValues {
    const resource = this.#resources[logicalId];
    const values =
      resource &&
      this.#returnValues[resource.Type]?.({
        logicalId,
        name: (property) => {
          const given = resource.Properties[property];
          return given === undefined
            ? `${this.#options.stackName}-${logicalId}`
            : z.string().parse(this.resolve(given));
        },
      });
    if (!values) {
      throw new CommandError(
        `The template references ${logicalId} (${resource?.Type ?? "no resource"}), which the local stack does not support. Add it to local/template.ts.`,
      );
    }
    return values;
  }
}

function functionArn(functionName: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${functionName}`;
}

/** By resource type. Lists the types that other resources may reference. */
function returnValuesByType(
  queuesEndpoint: string,
): Readonly<Record<string, (resource: Named) => ReturnValues>> {
  const byLogicalId = ({ logicalId }: Named) => ({ ref: logicalId });
  return {
    "AWS::ApiGateway::Authorizer": byLogicalId,
    "AWS::ApiGateway::GatewayResponse": byLogicalId,
    "AWS::ApiGateway::Method": byLogicalId,
    "AWS::ApiGateway::Resource": byLogicalId,
    "AWS::ApiGateway::RestApi": () => ({ ref: "local", attributes: { RootResourceId: "root" } }),
    "AWS::ApiGateway::Stage": ({ name }) => ({ ref: name("StageName") }),
    "AWS::DynamoDB::Table": ({ name }) => {
      const tableName = name("TableName");
      const Arn = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${tableName}`;
      return { ref: tableName, attributes: { Arn, StreamArn: `${Arn}/stream/local` } };
    },
    "AWS::Events::Rule": byLogicalId,
    "AWS::Lambda::EventSourceMapping": byLogicalId,
    "AWS::Lambda::Function": ({ name }) => {
      const functionName = name("FunctionName");
      return { ref: functionName, attributes: { Arn: functionArn(functionName) } };
    },
    "AWS::Logs::LogGroup": ({ name }) => {
      const logGroupName = name("LogGroupName");
      const Arn = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${logGroupName}:*`;
      return { ref: logGroupName, attributes: { Arn } };
    },
    "AWS::SecretsManager::Secret": ({ name }) => {
      const arn = `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${name("Name")}-local0`;
      return { ref: arn, attributes: { Id: arn } };
    },
    "AWS::SQS::Queue": ({ name }) => {
      const QueueName = name("QueueName");
      const QueueUrl = queueUrlOf(queuesEndpoint, QueueName);
      return { ref: QueueUrl, attributes: { Arn: queueArnOf(QueueName), QueueName, QueueUrl } };
    },
  };
}
