import { devNull } from "node:os";
import type { ApiServer } from "./api-server.ts";
import type { Assembly } from "./assembly.ts";
import { type AwsServer, startAwsServer } from "./aws-server.ts";
import { Deployment } from "./deployment.ts";
import type { Engines } from "./engines.ts";
import type { RunningExtension } from "./extension.ts";
import type { LocalFunction } from "./lambda/local-function.ts";
import type { StackLogs } from "./logs.ts";
import type { CleanUp } from "./machine/clean-up.ts";
import type { AwsIdentity, DataDirectory } from "./machine/data-directory.ts";
import type { LocalStackOptions } from "./options.ts";
import type { StackState } from "./state.ts";
import { REGION } from "./template.ts";

/** The context in which a stack runs. */
interface Dependencies {
  readonly options: LocalStackOptions & { onFault(error: unknown): void };
  readonly data: DataDirectory;
  readonly identity: AwsIdentity;
  readonly engines: Engines;
  readonly api: ApiServer;
  readonly state: StackState;
  readonly logs: StackLogs;
  readonly cleanUp: CleanUp;
}

/** The current deployment on running engines. A reload replaces it. */
export class RunningStack {
  readonly #dependencies: Dependencies;
  readonly #aws: AwsServer;
  #deployment: Deployment | undefined;
  #extension: RunningExtension | undefined;

  private constructor(dependencies: Dependencies, aws: AwsServer) {
    this.#dependencies = dependencies;
    this.#aws = aws;
  }

  /** Runs an assembly, and opens the API. */
  static async start(dependencies: Dependencies, assembly: Assembly): Promise<RunningStack> {
    const { options, state, cleanUp } = dependencies;
    let stack: RunningStack | undefined;
    const aws = await startAwsServer({
      functions: () => stack?.functions ?? new Map(),
      secrets: state.secrets,
      onFault: options.onFault,
    });
    const started = new RunningStack(dependencies, aws);
    stack = started;
    cleanUp.add(() => started.#stop());
    await started.#begin(assembly);
    return started;
  }

  get invokeUrl(): string {
    return this.#aws.url;
  }

  /** The current functions. */
  get functions(): ReadonlyMap<string, LocalFunction> {
    return this.#deployment?.functions ?? new Map();
  }

  /** Runs another assembly, without interrupting callers. */
  async replace(assembly: Assembly): Promise<void> {
    await this.#dependencies.state.deploy(assembly);
    const previous = this.#deployment;
    const replacement = this.#deploy(assembly);
    // One poller per source at a time: two would deliver the same records.
    await previous?.stopEventSources();
    this.#deployment = replacement;
    replacement.startEventSources();
    await previous?.close();
  }

  async #begin(assembly: Assembly): Promise<void> {
    const { options, data, api, state } = this.#dependencies;
    const isEmpty = await state.deploy(assembly);
    const deployment = this.#deploy(assembly);
    this.#deployment = deployment;
    this.#extension = await options.extension?.start({
      baseUrl: api.url,
      invokeUrl: this.invokeUrl,
      dynamodb: state.dynamodb,
      tableNames: assembly.tables.map(({ name }) => name),
      isEmpty,
      file: (name) => data.otherFile(name),
      functions: () => this.functions.values(),
      onFault: options.onFault,
    });
    deployment.startEventSources();
    api.open({ extension: this.#extension, gateway: () => this.#deployment?.gateway });
  }

  #deploy(assembly: Assembly): Deployment {
    const { options, engines, state, logs } = this.#dependencies;
    const { throttling = true, extension, onAwsCall, onInvocation, onRequest = () => {}, onFault } = options;
    return new Deployment(assembly, {
      environment: { ...this.#awsEnvironment(), ...options.functionEnvironment },
      throttling,
      eventSources: {
        streams: state.streams,
        sqs: state.sqs,
        queuesEndpoint: engines.queues.endpoint,
        queues: engines.queues.direct,
        checkpoints: state.checkpoints,
        onStreamRecord: (record) => this.#extension?.onStreamRecord(record),
        onFault,
      },
      onLog: (name, line) => logs.functionLine(name, line),
      onAwsCall,
      onInvocation: (invocation) => {
        onInvocation?.(invocation);
        this.#extension?.onInvocation(invocation);
      },
      onSentRequest: extension && ((request) => this.#extension?.onSentRequest(request)),
      onRequest,
      onAccess: (line) => logs.accessLine(line),
    });
  }

  /** The addresses and credentials for the functions' AWS clients. */
  #awsEnvironment(): Readonly<Record<string, string>> {
    const { identity, engines } = this.#dependencies;
    return {
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_ACCESS_KEY_ID: identity.accessKeyId,
      AWS_SECRET_ACCESS_KEY: identity.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodb.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: engines.dynamodb.endpoint,
      AWS_ENDPOINT_URL_SQS: engines.queues.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: this.#aws.url,
      AWS_ENDPOINT_URL_LAMBDA: this.#aws.url,
      // Lambda has no such files: these would be the developer's.
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
    };
  }

  /** Ends callers first, then the work that they started, and the AWS services last, because functions use them. */
  async #stop(): Promise<void> {
    this.#extension?.close();
    await this.#dependencies.api.stop();
    await this.#deployment?.stopEventSources();
    await this.#aws.backgroundEnds();
    await this.#deployment?.close();
    await this.#aws.stop();
  }
}
