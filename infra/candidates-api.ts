import { CfnOutput, Duration, Lazy } from "aws-cdk-lib";
import {
  AuthorizationType,
  type IAuthorizer,
  IdentitySource,
  type IResource,
  LambdaIntegration,
  type MethodOptions,
  RequestAuthorizer,
} from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import type { OperationDefinition } from "#contract/operation-definition";
import { type OperationId, operations, type SandboxOperationId } from "#contract/operations";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { type Grant, variables } from "./grant.ts";
import { operationGrants } from "./operation-grants.ts";
import { ServiceFunction } from "./service-function.ts";
import { OPEN_METHODS, OPEN_PATHS, ServiceRestApi } from "./service-rest-api.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface CandidatesApiProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
  readonly webhooks: WebhookDelivery;
}

/**
 * The memory of an operation's function, in MB. Processing a batch is mostly computation: with a whole vCPU (AWS
 * Lambda quotas) it takes less time, and no more gigabyte-seconds.
 */
const MEMORY: Partial<Record<OperationId, number>> = { createCandidateBatch: 1_769 };
const DEFAULT_MEMORY = 1_024;

/** The operations that are called only after an outage of a receiver. */
const RARELY_CALLED: readonly OperationId[] = ["startRecovery", "getRecovery"];

/** A function for each operation that the environment offers. */
type OperationFunctions = Readonly<
  Record<Exclude<OperationId, SandboxOperationId>, ServiceFunction> &
    Partial<Record<SandboxOperationId, ServiceFunction>>
>;

/** The REST API of an environment: an authorizer, and one function per operation of the contract. */
export class CandidatesApi extends Construct {
  readonly #settings: EnvironmentSettings;
  readonly #authorizer: IAuthorizer;
  /** The methods offered by each path. */
  readonly #offered: Record<string, readonly string[]> = {};
  readonly restApi: ServiceRestApi;
  readonly authorizeRequest: ServiceFunction;
  readonly refuseMethod: ServiceFunction;
  /** The functions behind the routes of the contract. */
  readonly operations: OperationFunctions;

  constructor(scope: Construct, id: string, props: CandidatesApiProps) {
    super(scope, id);
    this.#settings = props.settings;
    const api = new ServiceRestApi(this, "RestApi", { settings: props.settings });
    this.restApi = api;
    this.authorizeRequest = this.#authorizerFunction(props.table);
    this.#authorizer = new RequestAuthorizer(this, "ApiKeyAuthorizer", {
      handler: this.authorizeRequest.live,
      identitySources: [IdentitySource.header("X-API-Key")],
      resultsCacheTtl: Duration.seconds(60),
    });

    this.refuseMethod = this.#refuseMethodFunction();

    const served = this.#serve(operationGrants(props));
    this.operations = Object.fromEntries(
      served.map(({ operationId, handler }) => [operationId, handler]),
    ) as OperationFunctions;
    for (const [path, offered] of Map.groupBy(served, (operation) => operation.path)) {
      this.#route(api.root.resourceForPath(path), offered);
    }
    this.#documentation(api.root);

    new CfnOutput(this, "BaseUrl", {
      description: "The base URL of the API",
      value: api.url.replace(/\/$/, ""),
    });
  }

  /**
   * The documentation requires no key. It is deployed at once, not gradually, so that a page loads files only of its
   * own version.
   */
  #documentation(root: IResource): void {
    const documentation = new ServiceFunction(this, "GetDocumentation", {
      settings: this.#settings,
      description: "Serves the documentation and the OpenAPI description",
      memorySize: 512,
      timeout: Duration.seconds(10),
      grants: [],
    });
    const open = { authorizationType: AuthorizationType.NONE };
    const integration = new LambdaIntegration(documentation, { scopePermissionToMethod: false });
    for (const resource of OPEN_PATHS.map((path) => root.resourceForPath(path))) {
      for (const method of OPEN_METHODS) resource.addMethod(method, integration, open);
      this.#refuseOthers(resource, OPEN_METHODS, open);
    }
  }

  #refuseMethodFunction(): ServiceFunction {
    return new ServiceFunction(this, "RefuseMethod", {
      settings: this.#settings,
      description: "Refuses methods that a path does not offer",
      memorySize: 256,
      timeout: Duration.seconds(10),
      grants: [variables({ OFFERED_METHODS: Lazy.string({ produce: () => JSON.stringify(this.#offered) }) })],
    });
  }

  #authorizerFunction(table: CandidateTable): ServiceFunction {
    return new ServiceFunction(this, "AuthorizeRequest", {
      settings: this.#settings,
      description: "Identifies the organisation of an API key",
      memorySize: 512,
      timeout: Duration.seconds(10),
      grants: [
        variables({ ENVIRONMENT: this.#settings.name }),
        table.items("KEY", "GetItem"),
        // It reads what callers without a key send, and must not be able to revive a key or to change whose it is.
        table.attributes("KEY", "UpdateItem", ["lastUsedAt"]),
      ],
    });
  }

  /** Each operation that the environment offers, with its function. */
  #serve(grants: Readonly<Record<OperationId, readonly Grant[]>>) {
    const offered = operations.filter((row: OperationDefinition) => this.#settings.sandbox || !row.sandbox);
    return offered.map(({ operationId, method, path, summary }) => ({
      operationId,
      method,
      path,
      handler: new ServiceFunction(this, `${operationId[0]?.toUpperCase()}${operationId.slice(1)}`, {
        settings: this.#settings,
        description: summary,
        memorySize: MEMORY[operationId] ?? DEFAULT_MEMORY,
        // Below API Gateway's 29 s, and enough for retries if the parts of a large candidate are throttled.
        timeout: Duration.seconds(25),
        isRarelyCalled: RARELY_CALLED.includes(operationId),
        grants: grants[operationId],
      }),
    }));
  }

  /** The operations that a path offers to callers with a key. */
  #route(resource: IResource, offered: readonly { method: string; handler: ServiceFunction }[]): void {
    const authorization = {
      authorizer: this.#authorizer,
      authorizationType: AuthorizationType.CUSTOM,
    };
    for (const { method, handler } of offered) {
      const integration = new LambdaIntegration(handler.live, { allowTestInvoke: false });
      resource.addMethod(method, integration, authorization);
    }
    const methods = offered.map(({ method }) => method);
    this.#refuseOthers(resource, methods, authorization);
  }

  /**
   * Every method that a path does not offer returns 405 with `Allow`; the gateway's own response would be 403. This
   * uses a function, because a mock integration refuses or fails on media types for which it has no template
   * (docs/decisions/0028-refused-methods.md).
   */
  #refuseOthers(resource: IResource, offered: readonly string[], authorization: MethodOptions): void {
    this.#offered[resource.path] = offered.toSorted();
    // One permission for the whole API: one for each path would be some twenty of the stack's 500 resources.
    const integration = new LambdaIntegration(this.refuseMethod, { scopePermissionToMethod: false });
    resource.addMethod("ANY", integration, authorization);
  }
}
