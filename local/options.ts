import type { RequestRecord } from "./api-gateway/gateway.ts";
import type { AssemblyOrigin } from "./assembly-source.ts";
import type { StackExtension } from "./extension.ts";
import type { AwsCall } from "./lambda/aws-calls.ts";
import type { Invocation } from "./lambda/local-function.ts";

export interface LocalStackOptions {
  /** Where everything is kept between two starts. One local stack at a time uses it. */
  readonly dataDir: string;
  /** Rises when what runs can no longer use what it has kept before. */
  readonly dataVersion: number;
  /** Where downloads are kept for all stacks of this user. */
  readonly cacheDirectory: string;
  /** What runs. */
  readonly assembly: AssemblyOrigin;
  /** The port of the API; 0, the default, takes any free one. */
  readonly port?: number;
  /** Begin empty. */
  readonly reset?: boolean;
  /** Whether the stage's rate limit applies; true by default. */
  readonly throttling?: boolean;
  /** A DynamoDB Local that is running already, in place of one of our own. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** Variables for every function, over those that the template gives it. */
  readonly functionEnvironment?: Readonly<Record<string, string>>;
  /** What is put on top of the stack. */
  readonly extension?: StackExtension;
  /** Called with what takes time while it starts. */
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
