/** A Lambda function as defined by the assembly. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  /** The folder that contains the bundle. */
  readonly codeDirectory: string;
  /** `<file without extension>.<export>`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The most concurrent invocations; undefined if there is no reservation. */
  readonly reservedConcurrency: number | undefined;
  /** Whether the function may send messages to its own event source. Otherwise the chain is stopped. */
  readonly allowsRecursion: boolean;
  /** The `Lambda` logging level of the function's own records, if the template sets one. */
  readonly logLevel: string | undefined;
}
