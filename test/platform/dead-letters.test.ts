import { expect, test } from "vitest";
import { onPrivateFunctions } from "./running-command.ts";

/** Runs the command with private functions that redrive nothing, and leave so many letters of each queue. */
const redriving = (left: Readonly<Record<string, number>>) =>
  onPrivateFunctions(["dead-letters", "redrive"], ({ queue }) =>
    JSON.stringify({ redriven: 0, left: left[String(queue)] ?? 0 }),
  );

test("a redrive that leaves nothing succeeds", async () => {
  expect(await redriving({})).toMatchObject({
    code: 0,
    stdout: "deliveries: 0 redriven, 0 left.\nevents: 0 redriven, 0 left.\nsweeps: 0 redriven, 0 left.\n",
    stderr: "",
  });
});

test("a redrive goes on while letters are redriven, and counts those of all rounds", async () => {
  const rounds = [200, 200, 40, 0];
  const { stdout } = await onPrivateFunctions(["dead-letters", "redrive"], ({ queue }) =>
    JSON.stringify({ redriven: queue === "deliveries" ? (rounds.shift() ?? 0) : 0, left: 0 }),
  );

  expect(stdout).toContain("deliveries: 440 redriven, 0 left.\n");
});

test("a redrive that fails says what it has redriven before", async () => {
  const rounds = [200, 40, 0];
  const { code, stdout, stderr } = await onPrivateFunctions(["dead-letters", "redrive"], ({ queue }) =>
    queue === "events" ? "<html>" : JSON.stringify({ redriven: rounds.shift() ?? 0, left: 0 }),
  );

  expect([code, stdout]).toEqual([1, "deliveries: 240 redriven, 0 left.\n"]);
  expect(stderr).toMatch(/^The response of CandidateService-development-redrive-dead-letters is not one /);
});

test("a redrive that fails at once prints only the error", async () => {
  expect(await onPrivateFunctions(["dead-letters", "redrive"], () => "<html>")).toMatchObject({
    code: 1,
    stdout: "",
  });
});

test.each([
  ["deliveries", "deadletters"],
  ["events", "unreadableevents"],
  ["sweeps", "unsweptparts"],
])(
  "a redrive that leaves letters of the queue %s fails, and names their section of the runbook",
  async (queue, section) => {
    const { code, stdout, stderr } = await redriving({ [queue]: 2 });

    expect(code).toBe(1);
    expect(stdout).toContain(`${queue}: 0 redriven, 2 left.`);
    expect(stderr).toBe(
      `What is left could not be read, or failed again: see docs/operations.md#${section}.\n`,
    );
  },
);

test("a redrive that leaves letters of several queues names the sections of all", async () => {
  expect(await redriving({ deliveries: 1, events: 2, sweeps: 3 })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /see docs\/operations\.md#deadletters and docs\/operations\.md#unreadableevents and docs\/operations\.md#unsweptparts\.\n$/,
    ),
  });
});
