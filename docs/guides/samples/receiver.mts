import { env } from "node:process";
import { verifyWebhook, type WebhookEvent } from "@candidate-management/client";
import express from "express";

const app = express();

// express.raw leaves the body as the bytes that were signed. A delivery may be larger than its default limit.
app.post("/hooks", express.raw({ type: "*/*", limit: "1mb" }), async (request, response) => {
  let event: WebhookEvent;
  try {
    // It also throws if SIGNING_SECRET is missing: everybody can sign with an empty key.
    event = await verifyWebhook(request.body, request.headers, env["SIGNING_SECRET"] ?? "");
  } catch (error) {
    console.error("Refused:", error instanceof Error ? error.message : error);
    response.sendStatus(401);
    return;
  }
  // Store it before the response: what is acknowledged is not sent again. It may come twice: remember the ids.
  console.log(event.type, event.id);
  response.sendStatus(204);
});

// Try it, on Node 22.18 or newer: npm install express ./candidate-management-client-0.1.0.tgz
// SIGNING_SECRET=whsec_… node receiver.mts
app.listen(Number(env["PORT"] ?? 4000), "127.0.0.1");
