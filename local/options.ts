import type { RequestRecord } from "./api-gateway/gateway.ts";
import type { AssemblyOrigin } from "./assembly-source.ts";
import type { StackExtension } from "./extension.ts";
import type { AwsCall } from "./lambda/aws-calls.ts";
import type { Invocation } from "./lambda/local-function.ts";

export interface LocalStackOptions {
  /** The folder for all data between starts. Only one local stack at a time uses it. */
  readonly dataDir: string;
  /** Increases when new code can no longer use existing data. */
  readonly dataVersion: number;
  /** The folder for downloads, shared by all stacks of this user. */
  readonly cacheDirectory: string;
  /** The source of the assembly to run. */
  readonly assembly: AssemblyOrigin;
  /** The port of the API; 0, the default, selects any free one. */
  readonly port?: number;
  /** Whether to start empty. */
  readonly reset?: boolean;
  /** Whether the stage's rate limit applies; true by default. */
  readonly throttling?: boolean;
  /** A DynamoDB Local that is already running, instead of starting one. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** Variables for every function, which override those of the template. */
  readonly functionEnvironment?: Readonly<Record<string, string>>;
  /** An addition to the stack. */
  readonly extension?: StackExtension;
  /** Called during the start with each step that takes time. */
  readonly onProgress?: (message: string) => void;
  /** Called with each line that a function writes. */
  readonly onLog?: (functionName: string, line: string) => void;
  /** Called with each call to AWS that a function makes. */
  readonly onAwsCall?: (functionName: string, call: AwsCall) => void;
  /** Called with each invocation of a function that has ended. */
  readonly onInvocation?: (invocation: Invocation) => void;
  /** Called with each request that the API has responded to. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called with faults of the local stack itself. */
  readonly onFault?: (error: unknown) => void;
}
