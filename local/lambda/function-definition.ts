/** A Lambda function as the assembly defines it. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  /** The folder that holds the bundle. */
  readonly codeDirectory: string;
  /** `<file without ending>.<export>`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly environment: Readonly<Record<string, string>>;
  /** At most so many invocations at a time; undefined when nothing is reserved. */
  readonly reservedConcurrency: number | undefined;
  /** Whether Lambda lets the function go on that sends to what invokes it; else a chain is stopped. */
  readonly allowsRecursion: boolean;
  /** The `Lambda` logging level of the function's own records, when the template sets one. */
  readonly logLevel: string | undefined;
}
