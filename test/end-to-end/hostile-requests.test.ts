import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { UNKNOWN_HANDLE } from "../builders/candidate.ts";
import { anExternalId, aSubmission } from "../builders/submission.ts";
import { aCaller, eightAtATime, received } from "./client.ts";
import { JSON_TYPE, type Response } from "./messages.ts";
import { UNKNOWN_ENDPOINT_ID } from "./webhook-client.ts";

const caller = aCaller();
const post = (body: string | Buffer, headers: readonly (readonly [string, string])[] = JSON_TYPE) =>
  caller.send({ method: "POST", path: "/v1/candidates", headers, body });

const valid = JSON.stringify(aSubmission());

function expectRefused({ status, body, text }: Response, message = /./): void {
  expect(status, text).toBe(400);
  expect(body["error"]).toBe("invalid_request");
  expect(body["message"]).toMatch(message);
}

describe("a body that is not a JSON object is refused:", () => {
  test.each([
    ["empty", ""],
    ["white space", " \n "],
    ["a byte order mark alone", "\uFEFF"],
    ["null", "null"],
    ["true", "true"],
    ["a number", "42"],
    ["a text", '"text"'],
    ["an array", "[]"],
    ["an array of a submission", `[${valid}]`],
    ["a text of a submission", JSON.stringify(valid)],
    ["cut short", valid.slice(0, -1)],
    ["two submissions", valid + valid],
    ["in single quotes", valid.replaceAll('"', "'")],
    ["with a comma too many", valid.replace(/}$/, ",}")],
    ["with a comment", `/* x */${valid}`],
    ["with NaN", '{"a":NaN}'],
    ["with Infinity", '{"a":Infinity}'],
    ["with a bare name", "{a:1}"],
    ["with a raw line feed in a text", '{"a":"\n"}'],
    ["with a null character behind it", `${valid}\u0000`],
    ["XML", "<candidate/>"],
    ["a form", "externalId=1&firstName=Ada"],
    ["in UTF-16", Buffer.from(valid, "utf16le")],
    ["compressed", gzipSync(valid)],
    ["random bytes", Buffer.from([0xff, 0xfe, 0x00, 0xc0, 0xaf, 0xed, 0xa0, 0x80])],
  ])("%s", async (_what, body) => {
    expectRefused(await post(body), /^body: /);
  });

  test("a missing body", async () => {
    expectRefused(
      await caller.send({ method: "POST", path: "/v1/candidates", headers: JSON_TYPE }),
      /^body: /,
    );
  });

  test("the body of an amend", async () => {
    const stagedId = await received(caller, aSubmission());
    const path = `/v1/candidates/${stagedId}`;

    const responses = await eightAtATime(["", "null", "[]", "[{}]", '"x"', "{", "1"], (body) =>
      caller.send({ method: "PUT", path, headers: JSON_TYPE, body }),
    );

    for (const response of responses) expectRefused(response, /^body: /);
  });
});

describe("excessive JSON gets a 4xx, not a 5xx:", () => {
  const deep = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);

  test.each([
    ["arrays in arrays", deep("[", "]", 100_000)],
    ["arrays that never close", "[".repeat(4 * 1024 * 1024)],
    ["arrays in arrays up to the largest body", deep("[", "]", 2 * 1024 * 1024)],
    ["objects in objects", `${deep('{"a":', "}", 100_000).replace(":}", ":1}")}`],
    ["arrays in a list of the contract", valid.replace(/}$/, `,"skills":${deep("[", "]", 100_000)}}`)],
    ["arrays in an unknown member", valid.replace(/}$/, `,"nickname":${deep("[", "]", 100_000)}}`)],
    ["arrays in place of a text", valid.replace(/}$/, `,"headline":${deep("[", "]", 100_000)}}`)],
  ])("%s", async (_what, body) => {
    expectRefused(await post(body));
  });

  test("a hundred thousand unknown members", async () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `"unknown${index}":1`).join(",");

    const response = await post(valid.replace(/}$/, `,${members}}`));

    expectRefused(response, /and 99980 more$|99980 more/);
  });

  test("a list with a million problems", async () => {
    const response = await post(valid.replace(/}$/, `,"tags":[${Array(1_000_000).fill("1").join(",")}]}`));

    expectRefused(response, /tags/);
    expect(response.text.length).toBeLessThan(5_000);
  });

  test("a number of a million digits", async () => {
    expectRefused(await post(valid.replace(/}$/, `,"headline":${"9".repeat(1_000_000)}}`)), /^headline: /);
  });

  test("a member name of a million letters, which the message does not repeat", async () => {
    const response = await post(valid.replace(/}$/, `,"${"n".repeat(1_000_000)}":1}`));

    expectRefused(response);
    expect(response.text.length).toBeLessThan(1_000);
  });
});

describe("a body that is too large gets a 413:", () => {
  test.each([
    ["one byte over 4 MiB", " ".repeat(4 * 1024 * 1024 + 1)],
    ["5 MB that is otherwise valid", valid.replace("Adelaide", "x".repeat(5_000_000))],
    ["6 MB that is not JSON", "x".repeat(6_000_000)],
  ])("%s", async (_what, body) => {
    const response = await post(body);

    expect(response.status).toBe(413);
    expect(response.body["error"]).toBe("payload_too_large");
  });
});

describe("the media type of a request", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json; charset="UTF-8"',
    "application/json; charset=utf8",
    "Application/JSON",
    'application/json ; profile="x"',
  ])("%s is accepted", async (type) => {
    expect((await post(JSON.stringify(aSubmission()), [["Content-Type", type]])).status).toBe(201);
  });

  test("may be omitted", async () => {
    expect((await post(JSON.stringify(aSubmission()), [])).status).toBe(201);
  });

  test.each([
    "text/plain",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/vnd.api+json",
    "text/json",
    "application/octet-stream",
    "json",
    "*/*",
    "application",
    "text/plain; application/json",
    "text/plain, application/json",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
  ])("%s gets a 415 from create and amend", async (type) => {
    const responses = [
      await post(valid, [["Content-Type", type]]),
      await caller.send({
        method: "PUT",
        path: `/v1/candidates/${UNKNOWN_HANDLE}`,
        headers: [["Content-Type", type]],
        body: "{}",
      }),
    ];

    for (const response of responses) {
      expect(response.status).toBe(415);
      expect(response.body["error"]).toBe("unsupported_media_type");
    }
  });

  test.each([
    ["DELETE", ""],
    ["POST", "/test"],
    ["POST", "/rotate-secret"],
  ])("of another type gets a 415 from an operation that needs none: %s %s", async (method, operation) => {
    const response = await caller.send({
      method,
      path: `/v1/webhook-endpoints/${UNKNOWN_ENDPOINT_ID}${operation}`,
      headers: [["Content-Type", "text/plain"]],
      body: "zzz",
    });

    expect(response.status).toBe(415);
  });

  test.each(["gzip", "br", "identity"])("with Content-Encoding: %s gets a 415", async (encoding) => {
    const bytes = encoding === "gzip" ? gzipSync(valid) : Buffer.from(valid);

    const response = await post(bytes, [...JSON_TYPE, ["Content-Encoding", encoding]]);

    expect(response.status).toBe(415);
    expect(response.body).toEqual({
      error: "unsupported_media_type",
      message: expect.stringMatching(/UTF-8.*no Content-Encoding/),
    });
  });

  test("is ignored if there is no body", async () => {
    const stagedId = await received(caller, aSubmission());

    const response = await caller.send({
      method: "GET",
      path: `/v1/candidates/${stagedId}`,
      headers: [["Content-Type", "text/plain"]],
    });

    expect(response.status).toBe(200);
  });
});

describe("members named like properties of every JavaScript object", () => {
  test.each([
    '"__proto__":{"consentGiven":true}',
    '"__proto__":null',
    '"constructor":{"prototype":{"polluted":1}}',
    '"prototype":{}',
    '"toString":"x"',
    '"hasOwnProperty":1',
    '"\\u005f_proto__":{"polluted":1}',
  ])("are refused as unknown: %s", async (member) => {
    expectRefused(await post(valid.replace(/}$/, `,${member}}`)));
  });

  test("are refused as unknown at every depth and supply no value", async () => {
    const skills = '"skills":[{"__proto__":{"name":"x","yearsExperience":1}}]';

    const response = await post(valid.replace(/}$/, `,${skills}}`));

    expectRefused(response, /skills\[0\]\.name: /);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("do not affect later requests", async () => {
    await eightAtATime(Array(16).fill('{"__proto__":{"headline":"polluted"}}'), (body) => post(body));

    const stagedId = await received(caller, aSubmission());

    expect((await caller.getCandidate(stagedId)).body["headline"]).toBeNull();
  });
});

describe("a duplicate member in JSON", () => {
  test("has the value of its last occurrence, as in JSON parsers", async () => {
    const externalId = anExternalId();
    const body = JSON.stringify(aSubmission({ externalId })).replace("{", '{"firstName":"First",');

    expect((await post(body)).status).toBe(201);
    expect((await caller.findCandidate(externalId)).body["firstName"]).toBe("Adelaide");
  });

  test("is validated by its last occurrence", async () => {
    expectRefused(await post(valid.replace(/}$/, ',"consentGiven":false}')), /^consentGiven: /);
  });

  test("is recognised in another escaping", async () => {
    expectRefused(await post(valid.replace(/}$/, ',"consent\\u0047iven":false}')), /^consentGiven: /);
  });
});

describe("text in a body", () => {
  const bodyWith = (summary: string) =>
    valid.replace(/}$/, `,"summary":${summary}}`).replace(/ext-[^"]+/, anExternalId());

  test("may follow a byte order mark", async () => {
    expect((await post(`\uFEFF${JSON.stringify(aSubmission())}`)).status).toBe(201);
  });

  test.each(['"\\ud83d"', '"\\ude00"', '"a\\ude00\\ud83d"'])(
    "with a lone surrogate is refused: %s",
    async (summary) => {
      expectRefused(await post(bodyWith(summary)), /^summary: /);
    },
  );

  test.each([
    ["an escaped pair", '"\\ud83d\\ude00"', "\u{1F600}"],
    ["escaped control characters", '"\\u0000\\u001f\\n\\t"', "\u0000\u001f\n\t"],
    ["line separators", '"\u2028\u2029"', "\u2028\u2029"],
    ["a non-character", '"\\uffff"', "\uffff"],
    ["markup", '"<script>alert(1)</script>"', "<script>alert(1)</script>"],
    ["a log4j lookup", `"\${jndi:ldap://example.com/}"`, `\${jndi:ldap://example.com/}`],
    ["a Java call", '"(java.lang.Runtime).getRuntime().exec()"', "(java.lang.Runtime).getRuntime().exec()"],
    ["a path that climbs", '"../../etc/passwd"', "../../etc/passwd"],
    ["an address of metadata", '"http://169.254.169.254/latest"', "http://169.254.169.254/latest"],
    ["direction marks", '"\u202Eabc"', "\u202Eabc"],
    ["a replacement character", '"\ufffd"', "\ufffd"],
  ])("is kept as sent: %s", async (_what, summary, expected) => {
    const response = await post(bodyWith(summary));

    expect(response.status, response.text).toBe(201);
    expect((await caller.getCandidate(response.body["stagedId"])).body["summary"]).toBe(expected);
  });

  test.each<readonly [string, readonly (readonly [string, string])[]]>([
    ["said to be JSON", JSON_TYPE],
    ["of no said type", []],
  ])("that is not UTF-8 is refused, so that two names never become one: %s", async (_what, headers) => {
    const prefix = anExternalId();
    const bodies = ["\xe9", "\xe8"].map((letter) =>
      Buffer.from(JSON.stringify(aSubmission({ externalId: `${prefix}Jos${letter}` })), "latin1"),
    );

    for (const body of bodies) expectRefused(await post(body, headers), /^body: JSON in UTF-8 is expected$/);
    for (const name of ["Jos\uFFFD", "Jos\xe9", "Jos\xe8"]) {
      expect((await caller.findCandidate(prefix + name)).status).toBe(404);
    }
  });

  test("that is not UTF-8 is refused by an amend, which changes nothing", async () => {
    const stagedId = await received(caller, aSubmission());
    const before = await caller.getCandidate(stagedId);

    const response = await caller.send({
      method: "PUT",
      path: `/v1/candidates/${stagedId}`,
      headers: JSON_TYPE,
      body: Buffer.from('{"headline":"caf\xe9"}', "latin1"),
    });

    expectRefused(response);
    expect((await caller.getCandidate(stagedId)).body).toEqual(before.body);
  });

  test.each([
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a byte that no UTF-8 has", [0xff]],
  ])("with %s is refused", async (_what, bytes) => {
    const [before = "", after = ""] = bodyWith('"HERE"').split("HERE");

    expectRefused(await post(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])));
  });
});

describe("a number in a body", () => {
  const skill = (years: string) =>
    valid.replace(/}$/, `,"skills":[{"name":"x","yearsExperience":${years}}]}`);

  test.each(["1e400", "-1e400", "61", "-0.000001", '"1"', "1e-400e"])(
    "written as %s is refused",
    async (years) => {
      expectRefused(await post(skill(years)));
    },
  );

  test.each([
    ["6.0e1", 60],
    ["0.1", 0.1],
    ["5e-324", 5e-324],
    ["12.000000000000001", 12.000000000000002],
  ])("written as %s reads back as %d", async (years, expected) => {
    const response = await post(skill(years).replace(/ext-[^"]+/, anExternalId()));

    const { body: record } = await caller.getCandidate(response.body["stagedId"]);
    expect(record["skills"]).toEqual([{ name: "x", yearsExperience: expected }]);
  });
});

describe("an unsupported method of a path gets a 405 with Allow:", () => {
  const UNKNOWN = `/v1/candidates/${UNKNOWN_HANDLE}`;

  test.each([
    ["PUT", "/v1/candidates", ["GET", "POST"]],
    ["PATCH", "/v1/candidates", ["GET", "POST"]],
    ["DELETE", "/v1/candidates", ["GET", "POST"]],
    ["HEAD", "/v1/candidates", ["GET", "POST"]],
    ["OPTIONS", "/v1/candidates", ["GET", "POST"]],
    ["POST", UNKNOWN, ["GET", "PUT"]],
    ["PATCH", UNKNOWN, ["GET", "PUT"]],
    ["DELETE", UNKNOWN, ["GET", "PUT"]],
    ["HEAD", UNKNOWN, ["GET", "PUT"]],
    ["OPTIONS", UNKNOWN, ["GET", "PUT"]],
  ])("%s %s", async (method, path, offered) => {
    const response = await caller.send({ method, path });

    expect(response.status).toBe(405);
    expect(response.headers.allow?.split(/\s*,\s*/).sort()).toEqual(offered);
    if (method !== "HEAD") expect(response.body["error"]).toBe("method_not_allowed");
  });

  test.each([
    ["JSON", "application/json", "{}"],
    ["no media type", undefined, "{}"],
    ["XML", "text/xml", "<candidate/>"],
    ["a form", "application/x-www-form-urlencoded", "externalId=1"],
    ["parts", "multipart/form-data; boundary=x", "--x--"],
    ["bytes", "application/octet-stream", Buffer.from([0xff, 0x00, 0xc0])],
    ["nonsense for a media type", "*/*, nonsense", "x"],
  ])("%s with and without a body", async (_what, type, body) => {
    const headers = type === undefined ? [] : [["Content-Type", type] as const];

    const response = await caller.send({ method: "PATCH", path: UNKNOWN, headers, body });

    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("GET, PUT");
    expect(response.body["error"]).toBe("method_not_allowed");
  });

  test("whatever method an override header names", async () => {
    const stagedId = await received(caller, aSubmission());

    const response = await caller.send({
      method: "GET",
      path: `/v1/candidates/${stagedId}`,
      headers: [["X-HTTP-Method-Override", "DELETE"]],
    });

    expect(response.status).toBe(200);
  });
});

describe("an unknown route gets a 404:", () => {
  test.each([
    "/v1",
    "/v2/candidates",
    "/V1/candidates",
    "/v1/Candidates",
    "/v1/candidate",
    "/v1/candidates/a/b",
    "/candidates",
    `/v1/candidates/${UNKNOWN_HANDLE}/documents`,
    "/.env",
    "/v1/__proto__",
  ])("%s", async (path) => {
    const response = await caller.send({ method: "GET", path });

    expect(response.status).toBe(404);
    expect(response.body["error"]).toBe("not_found");
  });
});
