import { beforeAll, describe, expect, inject, test } from "vitest";
import { EVENT_TYPES } from "#contract/events";
import { breachesIn } from "../../tools/simulation/breaches.ts";
import { type Deployment, loadDeployment } from "../../tools/simulation/deployment.ts";
import { endpointEventsOf } from "../../tools/simulation/invariants/evidence.ts";
import { INVARIANTS } from "../../tools/simulation/invariants/invariants.ts";
import { narrate } from "../../tools/simulation/narration.ts";
import type { StoryOutcome } from "../../tools/simulation/outcome.ts";
import { outcomeOf, search } from "../../tools/simulation/search.ts";
import { shrink } from "../../tools/simulation/shrink.ts";
import { simulate } from "../../tools/simulation/simulation.ts";
import { storyOf } from "../../tools/simulation/story-choice.ts";

const STORIES = 100;
/** The stories from here on reach all that they must, in little time; a change of the stories may take others. */
const FIRST = 1054;
const seeds = Array.from({ length: STORIES }, (_, index) => FIRST + index);

let deployment: Deployment;
const trial = () => ({ deployment, clients: "plain" }) as const;

beforeAll(async () => {
  deployment = await loadDeployment(inject("assembly"));
});

test("a hundred simulated stories break no invariant, and together cause every event, retries and dead letters", async () => {
  const reached = new Set<string>();
  let onlyToCallers = 0;
  for (const seed of seeds) {
    const outcome = await outcomeOf(trial(), seed);
    expect(breachesIn(outcome), `npm run simulation -- --from ${seed} --seeds 1`).toEqual([]);
    expect(outcome.story.steps.length, `operations of seed ${seed}`).toBeGreaterThanOrEqual(10);
    expect(outcome.disturbances, `faults of seed ${seed}`).toBeGreaterThanOrEqual(2);
    if (outcome.faults.every(({ where }) => where === "caller")) onlyToCallers += 1;
    for (const name of reachedIn(outcome)) reached.add(name);
  }
  expect(onlyToCallers).toBeGreaterThan(5);
  expect(onlyToCallers).toBeLessThan(30);
  const others = [
    "dead letter",
    "delivery waiting",
    "endpoint inactive",
    "part removed",
    "part stored",
    "retry",
  ];
  expect([...reached].sort(), "what stories do: tools/simulation/scenes.ts").toEqual(
    [...EVENT_TYPES, ...others].sort(),
  );
}, 600_000);

function* reachedIn({ writes, posts, items }: StoryOutcome): Generator<string> {
  for (const { pk, sk, item } of writes) {
    if (pk.startsWith("WAITING#")) yield "delivery waiting";
    if (/^(?:RECORD$|ENDPOINT#)/.test(sk) && item?.["event"]) yield (item["event"] as { type: string }).type;
    if (sk.startsWith("PART#")) yield item ? "part stored" : "part removed";
    if (item?.["status"] === "failed") yield "dead letter";
  }
  if (posts.some(({ headers }) => headers["X-RR-Delivery-Attempt"] !== "1")) yield "retry";
  if (items.some(({ active }) => active === false)) yield "endpoint inactive";
}

test("simulated stories with SDK clients break no invariant", async () => {
  for (const seed of seeds.slice(0, 5)) {
    const { breaches } = await search({ deployment, clients: "sdk" }, seed);
    expect(breaches, `npm run simulation -- --clients sdk --from ${seed} --seeds 1`).toEqual([]);
  }
});

test.each(["plain", "sdk"] as const)(
  "a seed determines the same story every time, with %s clients",
  async (clients) => {
    const first = narrate(await outcomeOf({ deployment, clients }, 7));
    expect(first).toContain("FAULT");
    expect(narrate(await outcomeOf({ deployment, clients }, 7))).toBe(first);
  },
);

test("the simulated stories contain every operation of clients and platform", () => {
  const names = new Set(seeds.flatMap((seed) => storyOf(seed).steps.map(({ operation }) => operation.name)));
  expect([...names].sort()).toEqual([
    "advance",
    "amend",
    "amendNothing",
    "assess",
    "create",
    "createBatch",
    "delete",
    "find",
    "get",
    "intrude",
    "recover",
    "redrive",
    "register",
    "requestErasure",
    "reseal",
    "resend",
    "rotateKeyring",
    "rotateSecret",
    "score",
    "test",
    "update",
  ]);
});

test("each invariant of the simulation has a distinct sentence", () => {
  const sentences = INVARIANTS.map(({ sentence }) => sentence);
  expect(new Set(sentences).size).toBe(sentences.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
});

test("two failing endpoints subscribed to each other's notices get one of each about the other", async () => {
  const DAY = 24 * 60 * 60_000;
  const days = [0, 1, 2, 3, 4, 5, 6];
  const failing = (name: string) => ({
    orgId: "acme",
    url: `https://${name}.example.com/hooks`,
    behaviour: { kind: "redirects" as const, from: 0, until: Number.POSITIVE_INFINITY },
  });
  const operations = [
    { at: 0, operation: { name: "register", subscriber: 0, eventTypes: EVENT_TYPES } },
    { at: 0, operation: { name: "register", subscriber: 1, eventTypes: EVENT_TYPES } },
    ...days.map((day) => ({
      at: day * DAY + 60_000,
      operation: { name: "create", person: day, isLarge: false } as const,
    })),
  ] as const;
  const { outage: _, ...story } = storyOf(2);

  const outcome = await simulate(deployment, {
    ...story,
    people: days.map((day) => ({ orgId: "acme", externalId: `person-${day}` })),
    subscribers: [failing("first"), failing("second")],
    steps: operations.map((step, index) => ({ ...step, number: index + 1 })),
    // Faults go on for so long in every story of a week.
    faultsUntil: DAY / 8,
  });

  expect(breachesIn(outcome)).toEqual([]);
  const fired = endpointEventsOf(outcome).map(({ type, endpointId }) => `${type} ${endpointId}`);
  expect(new Set(fired).size).toBe(4);
  expect(fired).toHaveLength(4);
  const notices = outcome.posts.filter(({ body }) => JSON.parse(body).type === "webhook_endpoint.failing");
  expect(new Set(notices.map(({ url, headers }) => `${url} ${headers["X-RR-Event-Id"]}`)).size).toBe(2);
});

test("a recovery does not have an event that was parked when it ended and is redriven when its endpoint is gone", async () => {
  const operations = [
    { at: 0, operation: { name: "register", subscriber: 0, eventTypes: EVENT_TYPES } },
    { at: 10_000, operation: { name: "create", person: 0, isLarge: false } },
    { at: 30_000, operation: { name: "recover", subscriber: 0, since: "beginning" } },
    { at: 60_000, operation: { name: "delete", subscriber: 0 } },
  ] as const;

  const outcome = await simulate(deployment, {
    seed: 1,
    people: [{ orgId: "acme", externalId: "person" }],
    subscribers: [
      {
        orgId: "acme",
        url: "https://receiver.example.com/hooks",
        behaviour: { kind: "takes all", from: 0, until: 0 },
      },
    ],
    steps: operations.map((step, index) => ({ ...step, number: index + 1 })),
    faultsUntil: 90_000,
    expiries: [],
    faults: {
      share: 0,
      certain: [],
      lostWrites: 0,
      sticky: 0,
      kinds: ["refused"],
      ends: 0,
      repeats: 0,
      throttles: 0,
      lostResponses: 0,
      unknownEvents: 1,
    },
  });

  expect(breachesIn(outcome)).toEqual([]);
  expect(outcome.items.filter(({ sk }) => String(sk).startsWith("RECOVERY#"))).toMatchObject([
    { status: "completed", found: 0 },
  ]);
  expect(outcome.feedReads.map(({ events }) => events.map(({ type }) => type))).toEqual([
    ["candidate.received"],
  ]);
  expect(outcome.posts).toEqual([]);
});

describe("a service that publishes no events", () => {
  const forgetful = (): Deployment => ({
    ...deployment,
    functions: { ...deployment.functions, "publish-events": () => async () => ({ batchItemFailures: [] }) },
  });
  const lost =
    "Every event reaches every subscribed endpoint or ends as a dead letter; none is lost silently.";

  test("is detected by the simulation, and shrunk to the few steps and faults necessary", async () => {
    const broken = { deployment: forgetful(), clients: "plain" } as const;
    let seed = 1;
    const breaks = async () =>
      breachesIn(await outcomeOf(broken, seed)).some(({ sentence }) => sentence === lost);
    while (!(await breaks())) seed += 1;
    expect(seed).toBeLessThan(20);

    const least = await shrink(broken, seed, lost);

    const steps = [...new Set(least.calls.map(({ step }) => step.operation.name))].sort();
    expect(steps.length, steps.join()).toBeLessThanOrEqual(3);
    expect(steps).toEqual(expect.arrayContaining(["create", "register"]));
    expect(least.faults.length).toBeLessThanOrEqual(1);
    expect(narrate(least)).toContain("fires candidate.received 1");
  });
});
