import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import type { FeedEvent } from "../../client/src/index.ts";
import { aFeedEvent, refuse, startFeedService } from "../client/feed-service.ts";
import { startProgram } from "../program.ts";

const samples = resolve("docs/guides/samples");
const newFolder = () => mkdtempSync(join(tmpdir(), "catch-up-"));

type Command = readonly [string, ...string[]];

const languages: readonly { name: string; tool: string; command(): Command | Promise<Command> }[] = [
  {
    name: "TypeScript",
    tool: process.execPath,
    command: () => [process.execPath, `${samples}/catch-up.mts`],
  },
  { name: "Python", tool: "python3", command: () => ["python3", `${samples}/catch_up.py`] },
  {
    name: "Go",
    tool: "go",
    async command() {
      const program = join(newFolder(), "catch-up");
      await promisify(execFile)("go", ["build", "-o", program, `${samples}/catch_up.go`]);
      return [program];
    },
  },
];

// `go` knows no --version, but starts: that is all that counts.
const isHere = (tool: string) => !spawnSync(tool, ["--version"]).error;

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => aFeedEvent(from + at));
const linesOf = (events: readonly FeedEvent[]) => events.map(({ id, type }) => `${id} ${type}\n`).join("");

/** Runs a sample with a file for its checkpoint, and waits until it has ended. */
async function running(command: () => Command | Promise<Command>, { baseUrl }: { readonly baseUrl: string }) {
  const [program, ...args] = await command();
  const env = { BASE: baseUrl, KEY: "rr_dev_secret" };
  return (checkpoint: string) => startProgram(program, [...args, checkpoint], { env }).ended;
}

// At the same time: each waits twice as long as Retry-After says.
describe.concurrent.each(languages)(
  "the sample in $name that catches up with the feed",
  ({ tool, command }) => {
    test.skipIf(!isHere(tool))(
      "handles every event, goes on from its checkpoint, and survives refusals",
      async ({ expect, onTestFinished }) => {
        const feed = await startFeedService(...upTo(250));
        onTestFinished(feed.stop);
        const checkpoint = join(newFolder(), "checkpoint.txt");
        const run = await running(command, feed);
        const catchUp = () => run(checkpoint);

        // Refused on the second page: the first page's checkpoint is kept.
        feed.fault = (response, query) => {
          if (query.get("cursor") === "at-100") refuse(response, 401, "unauthorized", "Send a valid key.");
          return query.get("cursor") === "at-100";
        };
        const refused = await catchUp();
        expect(refused).toMatchObject({ stdout: linesOf(upTo(100)) });
        expect(refused.code).not.toBe(0);
        expect(refused.stderr).toContain("Send a valid key.");
        expect(readFileSync(checkpoint, "utf8")).toBe("at-100");

        // Asked to slow down; the service is not available; and a proxy responds, which gives a date.
        const refusals = ["1", "1", "Wed, 21 Oct 2037 07:28:00 GMT"].entries();
        const arrivals: number[] = [];
        feed.fault = (response) => {
          arrivals.push(performance.now());
          const { value: [index, wait] = [] } = refusals.next();
          if (wait) refuse(response, index === 0 ? 429 : 503, "busy", "Too many.", { "Retry-After": wait });
          return wait !== undefined;
        };
        expect(await catchUp()).toMatchObject({ code: 0, stdout: linesOf(upTo(150, 101)) });
        for (const index of [1, 2, 3]) {
          expect((arrivals[index] ?? 0) - (arrivals[index - 1] ?? 0)).toBeGreaterThan(990);
        }

        // Nothing new, then something.
        expect(await catchUp()).toMatchObject({ code: 0, stdout: "" });
        feed.events.push(...upTo(2, 251));
        expect(await catchUp()).toMatchObject({ code: 0, stdout: linesOf(upTo(2, 251)), stderr: "" });

        // Another refusal of the cursor is no reason to begin anew.
        feed.fault = (response, query) => {
          if (query.has("cursor"))
            refuse(response, 400, "invalid_request", "cursor: of another organisation");
          return query.has("cursor");
        };
        const mistaken = await catchUp();
        expect(mistaken).toMatchObject({
          stdout: "",
          stderr: expect.stringContaining("of another organisation"),
        });
        expect(mistaken.code).not.toBe(0);
        feed.fault = undefined;

        // Away for too long.
        feed.events.push(...upTo(3, 253));
        feed.oldest = 253;
        const late = await catchUp();
        expect(late).toMatchObject({ code: 0, stdout: linesOf(upTo(2, 254)) });
        expect(late.stderr).toContain("Events may be lost");
        expect(late.stderr).toContain("cursor: expired");
        expect(existsSync(`${checkpoint}.new`)).toBe(false);
        expect(new Set(feed.keys)).toEqual(new Set(["rr_dev_secret"]));
      },
    );

    test.skipIf(!isHere(tool))(
      "leaves the checkpoint of another environment alone, whose name differs only in its ending",
      async ({ expect, onTestFinished }) => {
        const feed = await startFeedService(...upTo(1));
        onTestFinished(feed.stop);
        const folder = newFolder();
        writeFileSync(join(folder, "events.new"), "at-7");
        const run = await running(command, feed);

        await run(join(folder, "events.old"));

        expect(readdirSync(folder).sort()).toEqual(["events.new", "events.old"]);
        expect(readFileSync(join(folder, "events.new"), "utf8")).toBe("at-7");
      },
    );

    test.skipIf(!isHere(tool))(
      "handles nothing if there is a checkpoint that cannot be read",
      async ({ expect, onTestFinished }) => {
        const feed = await startFeedService(...upTo(1));
        onTestFinished(feed.stop);
        const run = await running(command, feed);

        const { code, stdout } = await run(newFolder());

        expect(stdout).toBe("");
        expect(code).not.toBe(0);
      },
    );

    test.skipIf(!isHere(tool))("shows its usage if the file is missing", async ({ expect }) => {
      const [program, ...args] = await command();

      expect(await startProgram(program, args).ended).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/^Usage: .+ <checkpoint file>\n$/),
      });
    });
  },
);
