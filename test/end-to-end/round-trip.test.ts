import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../builders/any-text.ts";
import { anExternalId, aSubmission } from "../builders/submission.ts";
import { anyAmendment, anyRefusedSubmission, anySubmission } from "../contract/cases.ts";
import { PLATFORM_MEMBERS, recordMembersOf } from "../contract/expected-record.ts";
import type { JsonObject } from "../contract/json.ts";
import { propertyRuns } from "../property-runs.ts";
import { aCaller, received } from "./client.ts";

const caller = aCaller();

describe("any candidate that the contract allows", () => {
  test("is stored and read back unchanged in the safe projection", async () => {
    await fc.assert(
      fc.asyncProperty(anySubmission, async (generated) => {
        const body = { ...generated, externalId: anExternalId() };

        const created = await caller.createCandidate(body);
        const { body: record } = await caller.getCandidate(created.body["stagedId"]);

        expect(created.status, created.text).toBe(201);
        expect(membersOf(record)).toEqual(recordMembersOf(body));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test("is found by its externalId", async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ minLength: 1, maxLength: 100 }), async (text) => {
        const externalId = text + anExternalId().slice(-28);

        const stagedId = await received(caller, aSubmission({ externalId }));

        expect((await caller.findCandidate(externalId)).body).toMatchObject({ id: stagedId, externalId });
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  test("is the same after a series of amends as if created with the final values", async () => {
    await fc.assert(
      fc.asyncProperty(
        anySubmission,
        fc.array(anyAmendment, { maxLength: 4 }),
        async (generated, amendments) => {
          const body: JsonObject = { ...generated, externalId: anExternalId() };
          const stagedId = await received(caller, body);

          for (const amendment of amendments) {
            const amended = await caller.amendCandidate(stagedId, amendment);
            expect(amended.status, amended.text).toBe(200);
            Object.assign(body, amendment);
          }

          const { body: record } = await caller.getCandidate(stagedId);
          expect(membersOf(record)).toEqual(recordMembersOf(body));
        },
      ),
      { numRuns: propertyRuns(25) },
    );
  });
});

describe("any body that the contract does not allow", () => {
  test("is refused with a 400, whichever value is wrong, and stores nothing", async () => {
    await fc.assert(
      fc.asyncProperty(anyRefusedSubmission, async ({ body, path, what }) => {
        const sent: JsonObject = path === "externalId" ? body : { ...body, externalId: anExternalId() };

        const response = await caller.createCandidate(sent);

        expect(response.status, `${path} = ${what}: ${response.text}`).toBe(400);
        if (path !== "externalId") {
          expect((await caller.findCandidate(String(sent["externalId"]))).status).toBe(404);
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test("never causes a 5xx: any JSON in any place gets a 201 or a 400", async () => {
    const members = Object.keys(aSubmission());
    await fc.assert(
      fc.asyncProperty(
        anySubmission,
        fc.constantFrom(...members),
        fc.json(),
        async (generated, member, json) => {
          const body = { ...generated, externalId: anExternalId(), [member]: JSON.parse(json) };

          const response = await caller.createCandidate(body);

          expect(response.status, response.text).toBeOneOf([201, 400]);
        },
      ),
      { numRuns: propertyRuns(25) },
    );
  });
});

function membersOf(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !PLATFORM_MEMBERS.includes(name)));
}
