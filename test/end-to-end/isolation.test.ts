import { beforeAll, describe, expect, test } from "vitest";
import { UNKNOWN_HANDLE } from "../builders/candidate.ts";
import { aFullSubmission, anExternalId, aSubmission } from "../builders/submission.ts";
import { AMENDABLE } from "../contract/bounds.ts";
import { recordMembersOf } from "../contract/expected-record.ts";
import { aCaller, received } from "./client.ts";
import { anOrganisation, type Organisation, responseOf } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered } from "./webhook-client.ts";

describe("two organisations", () => {
  let acme: Organisation;
  let globex: Organisation;

  beforeAll(async () => {
    [acme, globex] = await Promise.all([anOrganisation(), anOrganisation()]);
  });

  test("can use the same externalId for different candidates, each with its own handle", async () => {
    const externalId = anExternalId();
    const ours = await received(acme.caller, aSubmission({ externalId, firstName: "Ada" }));
    const theirs = await received(globex.caller, aSubmission({ externalId, firstName: "Grace" }));

    expect(theirs).not.toBe(ours);
    expect((await acme.caller.findCandidate(externalId)).body).toMatchObject({ id: ours, firstName: "Ada" });
    expect((await globex.caller.findCandidate(externalId)).body).toMatchObject({
      id: theirs,
      firstName: "Grace",
    });
  });

  test("cannot see each other's candidates: they get the response for an unknown candidate", async () => {
    const body = aFullSubmission();
    const stagedId = await received(acme.caller, body);
    const never = await globex.caller.getCandidate(UNKNOWN_HANDLE);

    const responses = [
      await globex.caller.getCandidate(stagedId),
      await globex.caller.getCandidate(stagedId.replace("staged_", "cand_")),
      await globex.caller.findCandidate(body.externalId),
      await globex.caller.amendCandidate(stagedId, { firstName: "Grace" }),
      await globex.caller.amendCandidate(stagedId, {}),
      await globex.caller.amendCandidate(stagedId, { consentGiven: true }),
      await globex.caller.amendCandidate(stagedId, { firstName: "Grace" }, { "If-Match": "*" }),
    ];

    for (const response of responses) {
      expect(response.status).toBe(404);
      expect(response.body).toEqual(never.body);
    }
  });

  test("cannot change each other's candidates", async () => {
    const body = aFullSubmission();
    const stagedId = await received(acme.caller, body);
    const before = await acme.caller.getCandidate(stagedId);

    await globex.caller.amendCandidate(stagedId, { firstName: "Grace", consentGiven: false });
    await globex.caller.createCandidate(aSubmission({ externalId: body.externalId, firstName: "Grace" }));

    expect((await acme.caller.getCandidate(stagedId)).text).toBe(before.text);
  });

  test("cannot tell whether the other has frozen a candidate", async () => {
    const stagedId = await received(acme.caller, aSubmission());
    await acme.caller.amendCandidate(stagedId, { consentGiven: false });

    expect((await globex.caller.getCandidate(stagedId)).body["error"]).toBe("not_found");
  });

  test("cannot select the other's organisation by a header or a parameter", async () => {
    const body = aSubmission();
    await received(acme.caller, body);

    const response = await globex.caller.send({
      method: "GET",
      path: `/v1/candidates?externalId=${body.externalId}&orgId=${acme.orgId}`,
      headers: [
        ["X-Org-Id", acme.orgId],
        ["X-Organisation", acme.orgId],
      ],
    });

    expect(response.status).toBe(404);
  });

  test("are kept apart from each other's deliveries, even for the platform", async () => {
    // The candidates of other tests would be delivered too.
    const owner = await anOrganisation();
    const receiver = await aReceiver();
    const { id: endpointId } = await registered(owner.caller, receiver.url);
    const deliveriesFor = ({ orgId }: Pick<Organisation, "orgId">) =>
      responseOf("inspect-deliveries", { orgId, endpointId });

    await received(owner.caller, aSubmission());

    await expect.poll(() => deliveriesFor(owner)).toMatchObject({ data: [{ orgId: owner.orgId }] });
    expect(await deliveriesFor(globex)).toEqual({ data: [] });
  });
});

describe("forty concurrent creates of one externalId", () => {
  test("make one candidate, with one receipt and thirty-nine replays", async () => {
    const caller = aCaller();
    const externalId = anExternalId();

    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        caller.createCandidate(aSubmission({ externalId, firstName: `Racer ${index}` })),
      ),
    );

    expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(201));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const winners = responses.flatMap(({ headers }, index) =>
      headers["idempotent-replayed"] ? [] : [index],
    );
    expect(winners).toHaveLength(1);
    expect((await caller.findCandidate(externalId)).body["firstName"]).toBe(`Racer ${winners[0]}`);
  });
});

describe("concurrent amends", () => {
  const caller = aCaller();

  test("of different members are all kept", async () => {
    const wanted = aFullSubmission();
    const stagedId = await received(caller, aSubmission({ externalId: wanted.externalId }));
    const members = AMENDABLE.filter((member) => member !== "consentGiven");

    const responses = await Promise.all(
      members.map((member) => caller.amendCandidate(stagedId, { [member]: wanted[member] })),
    );

    expect(responses.map(({ status }) => status)).toEqual(members.map(() => 200));
    const { nationality: _, ...expected } = recordMembersOf({ ...wanted, tags: [] });
    expect((await caller.getCandidate(stagedId)).body).toMatchObject(expected);
  });

  test("of the same member leave one of the values, and each returns its own entity tag", async () => {
    const stagedId = await received(caller, aSubmission());
    const names = Array.from({ length: 40 }, (_, index) => `Racer ${index}`);

    const responses = await Promise.all(
      names.map((firstName) => caller.amendCandidate(stagedId, { firstName })),
    );

    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(responses.map(({ body }) => body["firstName"])).toEqual(names);
    expect(new Set(responses.map(({ headers }) => headers.etag)).size).toBe(40);
    const last = responses.toSorted((a, b) => compare(a.body["updatedAt"], b.body["updatedAt"])).at(-1);
    expect((await caller.getCandidate(stagedId)).text).toBe(last?.text);
  });

  test("with the same If-Match succeed once", async () => {
    const stagedId = await received(caller, aSubmission());
    const { headers } = await caller.getCandidate(stagedId);

    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        caller.amendCandidate(
          stagedId,
          { firstName: `Racer ${index}` },
          { "If-Match": String(headers.etag) },
        ),
      ),
    );

    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await caller.getCandidate(stagedId)).text).toBe(winners[0]?.text);
  });

  test("with a withdrawal of consent leave the record frozen, and it is restored unchanged", async () => {
    const stagedId = await received(caller, aSubmission());

    const [withdrawal, ...amends] = await Promise.all([
      caller.amendCandidate(stagedId, { consentGiven: false }),
      ...Array.from({ length: 10 }, () => caller.amendCandidate(stagedId, { headline: "Racer" })),
    ]);

    expect(withdrawal?.status).toBe(200);
    for (const { status } of amends) expect(status).toBeOneOf([200, 404]);
    expect((await caller.getCandidate(stagedId)).body["error"]).toBe("consent_revoked");
    const restored = await caller.amendCandidate(stagedId, { consentGiven: true });
    expect(restored.body["status"]).toBe("received");
  });
});

function compare(left: unknown, right: unknown): number {
  return String(left).localeCompare(String(right));
}
