import * as z from "zod";
import { CommandError } from "../machine/command-error.ts";
import { functionNameIn, type Template } from "../template.ts";

const StringMap = z.record(z.string(), z.string());

const Integration = z.object({
  Type: z.literal("AWS_PROXY"),
  Uri: z.string(),
  // API Gateway's default and maximum for a REST API's integration: 29 s.
  TimeoutInMillis: z.coerce.number().default(29_000),
});

const Method = z.object({
  AuthorizationType: z.string().default("NONE"),
  AuthorizerId: z.string().optional(),
  HttpMethod: z.string(),
  ResourceId: z.string(),
  Integration,
});

const Authorizer = z.object({
  Type: z.literal("REQUEST"),
  AuthorizerUri: z.string(),
  AuthorizerResultTtlInSeconds: z.coerce.number().default(300),
  IdentitySource: z.string().default(""),
});

const GatewayResponse = z.object({
  ResponseType: z.string(),
  StatusCode: z.coerce.number().optional(),
  ResponseParameters: StringMap.default({}),
  ResponseTemplates: StringMap.default({}),
});

const RestApi = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });

const Stage = z.object({
  StageName: z.string(),
  AccessLogSetting: z.object({ Format: z.string() }).optional(),
  MethodSettings: z
    .array(
      z.object({
        HttpMethod: z.string().optional(),
        ResourcePath: z.string().optional(),
        ThrottlingBurstLimit: z.coerce.number().optional(),
        ThrottlingRateLimit: z.coerce.number().optional(),
      }),
    )
    .default([]),
});

/** The function behind a method, as a Lambda proxy integration. */
interface IntegrationDefinition {
  readonly functionName: string;
  readonly timeoutMs: number;
}

export interface AuthorizerDefinition {
  readonly id: string;
  readonly functionName: string;
  /** How long results are cached, in seconds; 0 disables the cache. */
  readonly cacheSeconds: number;
  /** The headers that identify the caller. If one is missing, the function is not invoked. */
  readonly identityHeaders: readonly string[];
}

export interface MethodDefinition {
  /** A method, or `ANY`. */
  readonly httpMethod: string;
  /** The path template, such as `/orders/{id}`. */
  readonly resourcePath: string;
  readonly resourceId: string;
  readonly authorizer: AuthorizerDefinition | undefined;
  readonly integration: IntegrationDefinition;
}

interface GatewayResponseDefinition {
  readonly statusCode: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly templates: Readonly<Record<string, string>>;
}

/** The stage's default limit: requests per second, and the burst. */
export interface ThrottleDefinition {
  readonly ratePerSecond: number;
  readonly burst: number;
}

/** A REST API as defined by the assembly. */
export interface ApiDefinition {
  readonly apiId: string;
  readonly stage: string;
  /** The media types whose bodies are passed to functions as bytes; a star matches any. */
  readonly binaryMediaTypes: readonly string[];
  readonly methods: readonly MethodDefinition[];
  readonly gatewayResponses: ReadonlyMap<string, GatewayResponseDefinition>;
  readonly throttle: ThrottleDefinition | undefined;
  /** The format of the access log, with `$context.…` variables; undefined if there is no access log. */
  readonly accessLogFormat: string | undefined;
}

/**
 * The template's REST API, or undefined if it has none.
 *
 * @throws CommandError if it uses features that the local stack does not support
 */
export function readApi(template: Template): ApiDefinition | undefined {
  const [api, second] = template.resourcesOf("AWS::ApiGateway::RestApi", RestApi);
  if (!api) return undefined;
  const [stage, secondStage] = template.resourcesOf("AWS::ApiGateway::Stage", Stage);
  if (second || !stage || secondStage) {
    throw new CommandError(
      "The local stack runs one REST API with one stage. Define exactly those in the template.",
    );
  }
  const paths = resourcePaths(template, template.attribute(api.logicalId, "RootResourceId"));
  const authorizers = new Map(
    template.resourcesOf("AWS::ApiGateway::Authorizer", Authorizer).map(({ ref, properties }) => [
      ref,
      {
        id: ref,
        functionName: functionNameInUri(properties.AuthorizerUri),
        cacheSeconds: properties.AuthorizerResultTtlInSeconds,
        identityHeaders: identityHeaders(properties.IdentitySource),
      },
    ]),
  );
  return {
    apiId: api.ref,
    stage: stage.properties.StageName,
    binaryMediaTypes: api.properties.BinaryMediaTypes,
    accessLogFormat: stage.properties.AccessLogSetting?.Format,
    throttle: stage.properties.MethodSettings.flatMap((setting) =>
      setting.ResourcePath === "/*" && setting.HttpMethod === "*" && setting.ThrottlingRateLimit !== undefined
        ? [{ ratePerSecond: setting.ThrottlingRateLimit, burst: setting.ThrottlingBurstLimit ?? 0 }]
        : [],
    )[0],
    gatewayResponses: new Map(
      template.resourcesOf("AWS::ApiGateway::GatewayResponse", GatewayResponse).map(({ properties }) => [
        properties.ResponseType,
        {
          statusCode: properties.StatusCode,
          headers: withoutPrefix(properties.ResponseParameters, "gatewayresponse.header."),
          templates: properties.ResponseTemplates,
        },
      ]),
    ),
    methods: template.resourcesOf("AWS::ApiGateway::Method", Method).map(({ logicalId, properties }) => {
      const { AuthorizationType, AuthorizerId, ResourceId } = properties;
      const authorizer = AuthorizerId === undefined ? undefined : authorizers.get(AuthorizerId);
      if (AuthorizationType !== "NONE" && !authorizer) {
        throw new CommandError(
          `${logicalId} uses authorization ${AuthorizationType}, which the local stack does not support. Use NONE or a request authorizer.`,
        );
      }
      return {
        httpMethod: properties.HttpMethod,
        resourceId: ResourceId,
        resourcePath: paths(ResourceId),
        authorizer,
        integration: integration(properties.Integration),
      };
    }),
  };
}

function resourcePaths(template: Template, rootId: string): (resourceId: string) => string {
  const resources = new Map(
    template
      .resourcesOf("AWS::ApiGateway::Resource", z.object({ ParentId: z.string(), PathPart: z.string() }))
      .map(({ ref, properties }) => [ref, properties]),
  );
  const segments = (resourceId: string): string[] => {
    const resource = resources.get(resourceId);
    return resource ? [...segments(resource.ParentId), resource.PathPart] : [];
  };
  return (resourceId) => (resourceId === rootId ? "/" : `/${segments(resourceId).join("/")}`);
}

function integration({ Uri, TimeoutInMillis }: z.infer<typeof Integration>): IntegrationDefinition {
  return { functionName: functionNameInUri(Uri), timeoutMs: TimeoutInMillis };
}

/** The function name in an invocation URI: `…/functions/<function ARN>/invocations`. */
function functionNameInUri(uri: string): string {
  const arn = /\/functions\/([^/]+)\/invocations$/.exec(uri)?.[1];
  if (arn === undefined) {
    throw new CommandError(
      `The integration ${uri} is not a Lambda function. The local stack supports no others.`,
    );
  }
  return functionNameIn(arn);
}

function identityHeaders(identitySource: string): string[] {
  return identitySource
    .split(",")
    .map((source) => source.trim())
    .filter((source) => source !== "")
    .map((source) => {
      const header = /^method\.request\.header\.(.+)$/.exec(source)?.[1];
      if (header === undefined) {
        throw new CommandError(
          `The authorizer's identity source ${source} is not a header. The local stack supports only headers.`,
        );
      }
      return header.toLowerCase();
    });
}

function withoutPrefix(parameters: Readonly<Record<string, string>>, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}
