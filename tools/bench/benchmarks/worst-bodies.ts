import { CandidateSubmission } from "#contract/candidate-submission";
import type { ErrorEnvelope } from "#contract/error-envelope";
import { describeProblems } from "#contract/problems";
import { type Benchmark, type Figure, interleaved, processorTime } from "../figure.ts";

const ROUNDS = 7;

const wrong = (count: number, item: object) => Array.from({ length: count }, () => item);
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const versions = wrong(50, { version: "x", url: 1, fileName: 1, sizeBytes: "x", uploadedAt: 1, checksum: 1 });
const aVersion = { version: 1, url: "https://example.com/cv.pdf", uploadedAt: "2026-01-01T00:00:00Z" };
const competencies = wrong(100, { code: 1, label: 1, score: "x" });

/** Bodies that each ask the most of one part of the reading, none over the limit of 4 MiB. */
const BODIES: Readonly<Record<string, string>> = {
  "every value wrong": JSON.stringify({
    externalId: 1,
    firstName: 1,
    skills: wrong(100, { name: 1, yearsExperience: "x", proficiency: 1, lastUsedYear: "x" }),
    workHistory: wrong(40, {
      employer: 1,
      jobTitle: 1,
      startDate: 1,
      endDate: 1,
      isCurrent: 1,
      description: 1,
    }),
    documents: wrong(50, { documentType: 1, currentVersion: "x", versions, label: 1 }),
    assessments: wrong(50, { externalId: 1, provider: 1, name: 1, status: 1, competencies }),
  }),
  "two million tags": `{"tags":[${"1,".repeat(2_000_000)}1]}`,
  "two million brackets": `{"skills":${nested(2_000_000)}}`,
  "300,000 unknown members": JSON.stringify(
    Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`u${index}`, 1])),
  ),
  "a URL of 4 MB": JSON.stringify({ links: [{ type: "other", url: `https://${"a".repeat(4_000_000)}` }] }),
};

/** The longest message: each of its twenty problems lists all types of document. */
const LONGEST_MESSAGE = JSON.stringify({
  documents: wrong(50, { documentType: "x", currentVersion: 1, versions: [aVersion] }),
});

export const benchmark: Benchmark = {
  title: "The worst bodies",
  method:
    "Processor time to parse and refuse a body, including the message, compared with JSON.parse of the same body; and the size of the longest response.",
  async measure() {
    const figures: Figure[] = [];
    for (const [name, text] of Object.entries(BODIES)) {
      const { parse, refuse } = await interleaved(ROUNDS, {
        parse: () => processorTime(() => JSON.parse(text)),
        refuse: () => processorTime(() => refusal(text)),
      });
      figures.push({
        name: `${name} (${(text.length / 1_000_000).toFixed(1)} MB)`,
        value: refuse,
        unit: "ms",
        peer: { name: "JSON.parse alone", value: parse },
        goal: { atMost: 10 },
      });
      figures.push({
        name: `${name}: time in addition to JSON.parse`,
        value: Math.max(0, refuse - parse),
        unit: "ms",
        goal: { atMost: 100 },
      });
    }
    const longest = Math.max(
      ...[...Object.values(BODIES), LONGEST_MESSAGE].map((text) => Buffer.byteLength(refusal(text))),
    );
    return [...figures, { name: "the longest response", value: longest, unit: "B", goal: { atMost: 4_096 } }];
  },
};

function refusal(text: string): string {
  const body: unknown = JSON.parse(text);
  const { error } = CandidateSubmission.safeParse(body);
  if (!error) throw new Error("The body was not refused.");
  const envelope: ErrorEnvelope = {
    error: "invalid_request",
    message: describeProblems(error.issues, body, "body"),
  };
  return JSON.stringify(envelope);
}
