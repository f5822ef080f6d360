import { once } from "node:events";
import { globSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import type { SQSEvent } from "aws-lambda";
import { expect, onTestFinished, test, vi } from "vitest";
import { lambdaEnvironment } from "../../bench/processes.ts";
import type { handler as DeliverWebhook } from "../../functions/deliver-webhook.ts";
import { bundleOf, contentsOf } from "../../infra/bundles.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";
import { aDelivery } from "../webhooks/builders.ts";
import { anXRayDaemon } from "../webhooks/xray-daemon.ts";

const KILOBYTE = 1_000;

const waitedFor = globSync("functions/*.ts")
  .map((path) => ({ name: basename(path, ".ts"), contents: contentsOf(basename(path, ".ts")) }))
  .filter(({ name, contents }) => name === "authorize-request" || "lib/http/operation.ts" in contents.inputs);

test("the bundle of a function that a caller waits for stays small: each byte is part of its cold start", () => {
  expect(waitedFor.length).toBeGreaterThan(9);
  for (const { name, contents } of waitedFor) {
    const clients = new Set(
      Object.keys(contents.inputs).flatMap((path) => /@aws-sdk\/client-[^/]+/.exec(path) ?? []),
    );
    expect(clients.size, name).toBeLessThanOrEqual(2);
    expect(contents.bytes, name).toBeLessThanOrEqual((clients.size > 1 ? 306 : 279) * KILOBYTE);
  }
});

test("a bundle traces, with what stands in it for cls-hooked: each delivery is a step of the invocation's trace", async () => {
  const traceId = "1-5759e988-bd862e3fe1be46a994272793";
  const daemon = await anXRayDaemon(traceId);
  // A table that has no endpoint: every delivery is dropped.
  const aws = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(aws, "listening");
  onTestFinished(() => {
    daemon.close();
    aws.close();
    vi.unstubAllEnvs();
  });
  const environment = {
    ...lambdaEnvironment(`http://127.0.0.1:${(aws.address() as AddressInfo).port}`),
    ...daemon.environment,
    POWERTOOLS_TRACE_ENABLED: "true",
    POWERTOOLS_LOG_LEVEL: "SILENT",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const bundle = createRequire(import.meta.url)(join(bundleOf("deliver-webhook"), "index.js"));
  const handler: typeof DeliverWebhook = bundle.handler;
  const deliveries = [aDelivery(), aDelivery()];

  await handler(
    {
      Records: deliveries.map((delivery) => ({
        messageId: delivery.eventId,
        body: JSON.stringify(delivery),
        attributes: { ApproximateReceiveCount: "1" },
      })),
    } as unknown as SQSEvent,
    aLambdaContext,
  );

  await daemon.told(deliveries.length);
  expect(daemon.steps.map(({ annotations }) => annotations?.["eventId"]).sort()).toEqual(
    deliveries.map(({ eventId }) => eventId).sort(),
  );
  for (const step of daemon.steps) {
    expect(step).toMatchObject({ name: "delivery", trace_id: traceId, annotations: { outcome: "dropped" } });
  }
});
