import { join } from "node:path";
import type { BuildOptions } from "esbuild";

/** The bundling options of every function. */
export const bundling = {
  absWorkingDir: join(import.meta.dirname, ".."),
  bundle: true,
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  platform: "node" as const,
  target: "node24",
  // When an ES module imports node:http, Node also loads its own fetch and WebSocket. With require it does not.
  format: "cjs" as const,
  supported: { "dynamic-import": false },
  // The SDK's ES modules: tree shaking reduces them to a third.
  mainFields: ["module", "main"],
  // Replaces parts of the AWS SDK and of undici that a Lambda function does not need. Each byte is read and compiled
  // at every cold start (docs/decisions/0024).
  alias: {
    "@aws-sdk/credential-provider-node": "./infra/lambda-runtime/credential-provider-node.ts",
    "@aws-sdk/endpoint-cache": "./infra/lambda-runtime/endpoint-cache.ts",
    "@smithy/core/checksum": "./infra/lambda-runtime/checksum.ts",
    undici: "./infra/lambda-runtime/undici.js",
  },
  // Never imported: the SDK does so only in operations that stream events, of which the service uses none, and undici
  // only with UNDICI_USE_MILO, for its second HTTP parser.
  external: ["@smithy/core/event-streams", "../milo/*"],
  logLevel: "warning" as const,
} satisfies BuildOptions;
