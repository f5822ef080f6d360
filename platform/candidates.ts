import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  AdvanceCandidate,
  AdvancedCandidate,
  type CandidateSummary,
  InspectCandidate,
  InspectedCandidate,
} from "#candidates/candidate-commands";
import { PLATFORM_TRANSITIONS, type PlatformTransition } from "#contract/platform-transition";
import type { Reason } from "#contract/reason";
import { UsageError } from "../client/terminal/errors.ts";
import { parsePath } from "../client/terminal/parse-path.ts";
import { details, print } from "./output.ts";
import { invoke } from "./private-functions.ts";

interface CandidateOptions {
  readonly org: string;
  readonly id: string;
}

/** Identifies the candidate by one of the two options. */
interface ShowOptions {
  readonly org: string;
  readonly id?: string;
  readonly externalId?: string;
}

const HANDLE = "the candidate's stagedId or canonical id";

/** The transitions that need no input, and what they do. */
const PLAIN_TRANSITIONS: Readonly<Record<Exclude<PlatformTransition, "fail-validation">, string>> = {
  verify: "record that the identity is verified",
  promote: "promote out of intake; the canonical id becomes valid",
  "revoke-consent": "freeze access until consent is given again",
  erase: "erase all personal data permanently",
};

/** `platform candidates …`: the lifecycle of candidates. */
export function addCandidateCommands(program: Command): void {
  const candidates = program.command("candidates").description("candidates and their lifecycle");

  addShow(candidates);
  for (const transition of PLATFORM_TRANSITIONS) {
    if (transition !== "fail-validation")
      addTransition(candidates, transition, PLAIN_TRANSITIONS[transition]);
  }
  addTransition<{ reason: Reason[] }>(
    candidates,
    "fail-validation",
    "reject in intake, with reasons",
    (command) =>
      command.requiredOption(
        "--reason <code>:<message>",
        "a reason; repeat the option for several",
        collectReasons,
      ),
    ({ reason }) => ({ reasons: reason }),
  );
  addTransition<{ score: number | "none" }>(
    candidates,
    "score",
    "set the work-readiness score",
    (command) => command.requiredOption("--score <0-100|none>", "the score; none clears it", parseScore),
    ({ score }) => ({ score: score === "none" ? null : score }),
  );
  addTransition<{ file: string }>(
    candidates,
    "assess",
    "add an assessment, or replace the one with the same provider and externalId",
    (command) =>
      command.requiredOption("--file <json>", "a JSON file that contains the assessment", parsePath),
    async ({ file }) => ({ assessment: await readJson(file) }),
  );
  addTransition<RemovalOptions>(
    candidates,
    "remove-document",
    "remove one document permanently; it may be of a sensitive type",
    (command) =>
      command
        .requiredOption("--type <documentType>", "the document's type")
        .requiredOption(
          "--updated-at <time>",
          "when the candidate was last updated, as shown by `candidates show`",
        )
        .option(
          "--number <n>",
          "the document's number, as shown by `candidates show`, if there are several of the type",
          parseNumber,
        ),
    ({ type, number, updatedAt }) => ({ documentType: type, number, updatedAt }),
  );
}

function addShow(candidates: Command): void {
  organisationCommand(candidates, "show", "show a candidate's state, without personal data")
    .addOption(new Option("--id <handle>", HANDLE).conflicts("externalId"))
    .option(
      "--external-id <externalId>",
      "the organisation's own identifier for the candidate, instead of --id",
    )
    .action(async ({ org, id, externalId }: ShowOptions, command: Command) => {
      if (id === undefined && externalId === undefined) {
        command.error("error: identify the candidate with --id <handle> or --external-id <externalId>");
      }
      const input = { orgId: org, handle: id, externalId };
      const candidate = await invoke(command, "inspect-candidate", input, {
        input: InspectCandidate,
        output: InspectedCandidate,
      });
      print(command, candidate, () => describeShown(candidate));
    });
}

interface RemovalOptions {
  readonly type: string;
  readonly number?: number;
  readonly updatedAt: string;
}

function organisationCommand(candidates: Command, name: string, description: string): Command {
  return candidates
    .command(name)
    .description(description)
    .requiredOption("--org <orgId>", "the organisation");
}

/** @param inputOf the input of the transition, apart from the candidate */
function addTransition<Options = object>(
  candidates: Command,
  name: AdvanceCandidate["transition"],
  description: string,
  options: (command: Command) => Command = (command) => command,
  inputOf: (options: Options) => object | Promise<object> = () => ({}),
): void {
  const command = organisationCommand(candidates, name, description).requiredOption("--id <handle>", HANDLE);
  options(command).action(async (given: CandidateOptions & Options, command: Command) => {
    const advanced = await invoke(
      command,
      "advance-candidate",
      { orgId: given.org, handle: given.id, transition: name, ...(await inputOf(given)) },
      { input: AdvanceCandidate, output: AdvancedCandidate },
    );
    print(command, advanced, () =>
      [
        advanced.changed ? "Done." : "Nothing changed: the candidate was already in this state.",
        describe(advanced),
      ].join("\n"),
    );
  });
}

function describe(candidate: CandidateSummary): string {
  return details(standing(candidate));
}

function describeShown(candidate: InspectedCandidate): string {
  const { assessments, platformAssessments, documents, rejections } = candidate;
  return details([
    ...standing(candidate),
    ["Assessments", `${assessments}, of which ${platformAssessments} by the platform`],
    ...documents.map(
      ({ documentType, number, versions, uploadedAt }) =>
        [
          `${documentType} ${number}`,
          `versions: ${versions}, current version uploaded ${uploadedAt}`,
        ] as const,
    ),
    ...rejections.flatMap(({ sequence, occurredAt, reasons }) => [
      [`Rejection ${sequence}`, occurredAt] as const,
      ...reasons.map(({ code, message }) => [`  ${code}`, message] as const),
    ]),
  ]);
}

function standing(candidate: CandidateSummary): Parameters<typeof details>[0] {
  return [
    ["Staged id", candidate.stagedId],
    ["Canonical id", candidate.id ?? "not promoted"],
    ["Status", candidate.status],
    ["Verification", candidate.verificationStatus],
    ["Availability", candidate.availabilityStatus],
    ["Work readiness", candidate.workReadinessScore],
    ["First sequence", candidate.firstSequence],
    ["Sequence", candidate.sequence],
    ["Received", candidate.receivedAt],
    ["Promoted", candidate.promotedAt],
    ["Updated", candidate.updatedAt],
  ];
}

function parseNumber(argument: string): number {
  if (!/^[1-9]\d{0,3}$/.test(argument)) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return Number(argument);
}

function collectReasons(argument: string, reasons: readonly Reason[] = []): Reason[] {
  const separator = argument.indexOf(":");
  if (separator < 1) throw new InvalidArgumentError("Write it as <code>:<message>.");
  return [...reasons, { code: argument.slice(0, separator), message: argument.slice(separator + 1).trim() }];
}

function parseScore(argument: string): number | "none" {
  if (argument === "none") return argument;
  if (!/^\d+(?:\.\d+)?$/.test(argument) || Number(argument) > 100) {
    throw new InvalidArgumentError("Give a number from 0 to 100, or none.");
  }
  return Number(argument);
}

async function readJson(file: string): Promise<unknown> {
  try {
    const bytes = await readFile(file);
    // Skips a byte order mark. Fatal: an identifier in another encoding would become another one.
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const isRead = error instanceof SyntaxError || error instanceof TypeError;
    const problem = isRead ? "is not JSON in UTF-8" : "cannot be read";
    throw new UsageError(`${resolve(file)} ${problem}. Give a file that contains one assessment.`, {
      cause: error,
    });
  }
}
