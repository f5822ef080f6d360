import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { withoutDeveloperSettings } from "./test/developer-settings.ts";
import { FUNCTION_VARIABLES } from "./test/function-variables.ts";
import { BUNDLED_CLIENT } from "./test/webhooks/delivery/bundled-client.ts";

withoutDeveloperSettings(process.env);
// For the workers, and for the commands that tests run: each loads the same modules again.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compiled");
// Each worker that synthesises a stack would bundle all functions again.
process.env["KEPT_BUNDLES"] = join(import.meta.dirname, "node_modules/.cache/kept-bundles");

/** Against one DynamoDB Local for all files. */
const ON_ENGINE = [
  "test/candidates/amend-rules.test.ts",
  "test/candidates/large-candidates.test.ts",
  "test/candidates/stored-lifecycle.test.ts",
  "test/local/event-sources.test.ts",
  "test/local/local-service.test.ts",
  "test/local/local-stack.test.ts",
  "test/api-keys/organisations.test.ts",
  "test/simulation/dynamodb.differential.test.ts",
  "test/webhooks/delivery/stored-delivery-log.test.ts",
  "test/webhooks/delivery/stored-resend.test.ts",
  "test/webhooks/delivery/waiting-deliveries.test.ts",
  "test/webhooks/endpoints/endpoint-health-repository.test.ts",
  "test/webhooks/endpoints/endpoint-notices.test.ts",
  "test/webhooks/endpoints/reseal.test.ts",
  "test/webhooks/endpoints/sealed-secret-repository.test.ts",
  "test/webhooks/endpoints/stored-webhook-endpoint-repository.test.ts",
  "test/webhooks/feed/event-feed.test.ts",
  "test/webhooks/recoveries/missed-since.test.ts",
  "test/webhooks/recoveries/recover.test.ts",
];

/** Read one synthesis of the CDK app. */
const ON_ASSEMBLY = [
  "test/bench/lambda-environment.test.ts",
  "test/infra/edge/edge-protection.test.ts",
  "test/infra/alarms.test.ts",
  "test/infra/bundles.test.ts",
  "test/infra/gates.test.ts",
  "test/infra/opt-in-settings.test.ts",
  "test/infra/permissions.test.ts",
  "test/infra/production.test.ts",
  "test/infra/resource-values.test.ts",
  "test/infra/rest-api.test.ts",
  "test/infra/runbook.test.ts",
  "test/infra/service-alarms.test.ts",
  "test/infra/template.test.ts",
  "test/infra/webhook-delivery.test.ts",
  "test/simulation/stories.test.ts",
];

/** Over HTTP, against one local stack for all files. */
const OVER_HTTP = ["test/end-to-end/**/*.test.ts"];

/** Judge what the end-to-end tests recorded. */
const AFTER_END_TO_END = ["test/**/after-end-to-end.test.ts"];

/**
 * What takes long has a command of its own, npm run test:long: crashes and faults, npm start as benchmarks run it,
 * commands as processes, other programs' view of the description, deliveries, samples, client and templates, what the
 * simulation finds, what people see, what thousands of deliveries cost, the webhook client as it is deployed, and all
 * runs of the properties that need an engine.
 */
const CRASH = ["test/crash/**/*.test.ts", "test/bench/npm-start.test.ts"];
/** Each of their tests starts processes: a second of processor time or more. */
const COMMANDS = [
  "test/client/listen/listen.test.ts",
  "test/infra/app.test.ts",
  "test/local/dynamodb/engine.test.ts",
  "test/local/start.test.ts",
  "test/local/start-processes.test.ts",
];
const CONFORMANCE = ["test/conformance/**/*.test.ts"];
const BROWSER = ["test/browser/**/*.test.ts"];
const SEARCH = ["test/simulation/known-mistakes.test.ts"];
/** The webhook client once more, as the functions' bundles contain it. */
const BUNDLED = ["test/webhooks/delivery/webhook-client.test.ts"];
const MEASUREMENTS = ["test/bench/delivery-simulation.test.ts", "test/webhooks/capacity-units.test.ts"];
/** Part of npm test too, with a fifth of the runs. */
const PROPERTIES = [
  "test/candidates/amend-rules.test.ts",
  "test/candidates/create-candidate-batch.test.ts",
  "test/candidates/stored-lifecycle.test.ts",
  "test/end-to-end/round-trip.test.ts",
];
/** Minutes each, and several times as many on a busy machine; the first run fetches packages, and compiles them. */
const LONG = { testTimeout: 1_200_000, hookTimeout: 1_200_000 };

/**
 * A file that replaces a module or, before it imports, the environment needs modules of its own. All other files share
 * a worker's modules, because loading them anew takes longer than most files' tests. A file may replace a client that
 * it has made, a class of clients with `mockedClient`, and until its test ends a member of a module, a variable and
 * timers.
 */
const REPLACES =
  /\bvi\.(?:mock|doMock|resetModules|hoisted)\(|\bmockClient\([A-Z]|\bprocess\.env\[[^\]]+\] =/;
const OWN_MODULES = [
  ...globSync("test/**/*.test.ts").filter((file) => REPLACES.test(readFileSync(file, "utf8"))),
  // Their schemas as JSON Schema are others once the OpenAPI description has named them in Zod's global registry.
  "test/client/contract-types.test.ts",
  "test/client/push/command.test.ts",
  "test/client/push/csv-columns.test.ts",
  "test/client/push/csv-headings.test.ts",
  "test/client/push/csv-layout.test.ts",
  "test/client/push/push-paths.test.ts",
  "test/client/push/read-rows.test.ts",
  "test/client/push/usage.test.ts",
  // They replace the process's timers, which whatever an earlier file left would use too.
  "test/simulation/process-timers.test.ts",
  "test/simulation/sdk-clients.test.ts",
];

/**
 * What follows the end-to-end tests, and what fills the processors beside it: short files, which begin last. Most
 * compute and some wait, and each worker loads the modules anew: one worker more than there are processors is the
 * fastest.
 */
const AFTER_ENGINES = { sequence: { groupOrder: 1 }, maxWorkers: Math.min(4, availableParallelism() + 1) };

/** With commands or projects of their own. */
const APART = [
  ...ON_ENGINE,
  ...ON_ASSEMBLY,
  ...OVER_HTTP,
  ...AFTER_END_TO_END,
  ...CRASH,
  ...COMMANDS,
  ...CONFORMANCE,
  ...BROWSER,
  ...SEARCH,
  ...MEASUREMENTS,
];

const POLL_MS = 60_000;

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    // These end what hangs, and measure nothing: a busy machine needs several times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: POLL_MS } },
    globalSetup: ["test/temporary-folder.ts"],
    // Most files wait for an engine more than they compute.
    maxWorkers: 4,
    env: {
      // Seconds of rules that judge a template and do not change it: one test asks for them.
      CDK_VALIDATION: "false",
      // The logger writes to the global console, where a test can read it.
      POWERTOOLS_DEV: "true",
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...OWN_MODULES, ...APART],
          isolate: false,
          env: FUNCTION_VARIABLES,
          ...AFTER_ENGINES,
        },
      },
      {
        extends: true,
        // After the engine tests, in the order of names: these files fill the processors while the last of those end.
        test: { name: "isolated unit", include: OWN_MODULES, exclude: APART, env: FUNCTION_VARIABLES },
      },
      {
        extends: true,
        test: { name: "engine", include: ON_ENGINE, globalSetup: ["test/engine.ts"], isolate: false },
      },
      {
        extends: true,
        test: { name: "assembly", include: ON_ASSEMBLY, globalSetup: ["test/infra/assembly.ts"] },
      },
      {
        extends: true,
        test: {
          name: "end-to-end",
          include: OVER_HTTP,
          globalSetup: ["test/local-stack.ts"],
          isolate: false,
          // Most polls are requests, which take the processors from the service that they wait for.
          expect: { poll: { timeout: POLL_MS, interval: 200 } },
        },
      },
      {
        extends: true,
        test: { name: "after end-to-end", include: AFTER_END_TO_END, ...AFTER_ENGINES },
      },
      {
        extends: true,
        // Each of these takes the whole machine, so that they follow one another.
        test: {
          name: "crash",
          include: CRASH,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          ...LONG,
        },
      },
      {
        extends: true,
        test: {
          name: "conformance",
          include: CONFORMANCE,
          globalSetup: ["test/local-stack.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          ...LONG,
        },
      },
      {
        extends: true,
        test: {
          name: "commands",
          include: COMMANDS,
          env: FUNCTION_VARIABLES,
          sequence: { groupOrder: 6 },
          ...LONG,
        },
      },
      {
        extends: true,
        test: { name: "search", include: SEARCH, sequence: { groupOrder: 4 }, ...LONG },
      },
      {
        extends: true,
        test: {
          name: "measurements",
          include: MEASUREMENTS,
          globalSetup: ["test/engine.ts"],
          sequence: { groupOrder: 5 },
          ...LONG,
        },
      },
      {
        extends: true,
        test: {
          name: "properties",
          include: PROPERTIES,
          globalSetup: ["test/engine.ts", "test/local-stack.ts"],
          env: { ...FUNCTION_VARIABLES, PROPERTY_RUNS: "all" },
          sequence: { groupOrder: 5 },
          ...LONG,
        },
      },
      {
        extends: true,
        resolve: { alias: { "#webhooks/delivery/webhook-client": BUNDLED_CLIENT } },
        test: {
          name: "bundled",
          include: BUNDLED,
          globalSetup: ["test/webhooks/delivery/bundled-client.ts"],
          sequence: { groupOrder: 5 },
          ...LONG,
        },
      },
      {
        extends: true,
        test: { name: "browser", include: BROWSER, globalSetup: ["test/local-stack.ts"], ...LONG },
      },
    ],
  },
});
