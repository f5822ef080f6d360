import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readSchedules, startSchedule } from "../../local/schedules.ts";
import { Template } from "../../local/template.ts";

const MINUTE = 60_000;

function schedulesOf(properties: object) {
  const Resources = {
    Sweep: { Type: "AWS::Lambda::Function", Properties: { FunctionName: "sweep" } },
    Every: {
      Type: "AWS::Events::Rule",
      Properties: { Targets: [{ Arn: { "Fn::GetAtt": ["Sweep", "Arn"] }, Id: "Target0" }], ...properties },
    },
  };
  return readSchedules(
    new Template({ Resources }, { stackName: "Fixture", queuesEndpoint: "http://localhost" }),
  );
}

describe("a scheduled rule of a template", () => {
  test.each([
    ["rate(1 minute)", MINUTE],
    ["rate(5 minutes)", 5 * MINUTE],
    ["rate(10 minutes)", 10 * MINUTE],
    ["rate(2 hours)", 120 * MINUTE],
    ["rate(1 day)", 24 * 60 * MINUTE],
  ])("with %s invokes its function every %i ms", (ScheduleExpression, intervalMs) => {
    expect(schedulesOf({ ScheduleExpression })).toEqual([{ id: "Every", functionName: "sweep", intervalMs }]);
  });

  test("invokes the function of an alias", () => {
    const Arn = { "Fn::Join": [":", [{ "Fn::GetAtt": ["Sweep", "Arn"] }, "live"]] };

    expect(schedulesOf({ ScheduleExpression: "rate(1 minute)", Targets: [{ Arn }] })).toMatchObject([
      { functionName: "sweep" },
    ]);
  });

  test("that is disabled invokes nothing", () => {
    expect(schedulesOf({ ScheduleExpression: "rate(1 minute)", State: "DISABLED" })).toEqual([]);
  });

  test("with a cron expression is refused with the reason", () => {
    expect(() => schedulesOf({ ScheduleExpression: "cron(0 12 * * ? *)" })).toThrow(
      "The local stack supports rate expressions only.",
    );
  });

  test.each(["rate(0 minutes)", "rate(1 minutes)", "rate(5 minute)", "rate(5 minutes", "rate(30 seconds)"])(
    "with %s is refused, as by EventBridge",
    (ScheduleExpression) => {
      expect(() => schedulesOf({ ScheduleExpression })).toThrow("EventBridge accepts rate(1 minute)");
    },
  );
});

describe("a schedule", () => {
  test("invokes its function after each interval until it is stopped, whatever becomes of an invocation", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const invoke = vi.fn(async (_payload: string) => ({ payload: "null" }));
    invoke.mockRejectedValueOnce(new Error("The function is closed."));
    const faults: unknown[] = [];
    const stop = startSchedule(
      { id: "Every", functionName: "sweep", intervalMs: MINUTE },
      { invoke },
      (error) => faults.push(error),
    );

    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(invoke).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(MINUTE + 1);
    expect(invoke).toHaveBeenCalledTimes(2);
    const [first, second] = invoke.mock.calls.map(([payload]) => JSON.parse(payload));
    expect(first).toMatchObject({
      version: "0",
      source: "aws.events",
      "detail-type": "Scheduled Event",
      account: "000000000000",
      region: "us-east-1",
      resources: ["arn:aws:events:us-east-1:000000000000:rule/Every"],
    });
    expect(first.id).not.toBe(second.id);
    expect(Date.parse(second.time) - Date.parse(first.time)).toBe(MINUTE);
    expect(faults).toHaveLength(1);

    stop();
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(invoke).toHaveBeenCalledTimes(2);
  });

  test("whose interval is longer than a timer's longest time does not invoke its function at once", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const invoke = vi.fn(async (_payload: string) => ({ payload: "null" }));
    const intervalMs = 30 * 24 * 60 * MINUTE;
    const stop = startSchedule({ id: "Every", functionName: "sweep", intervalMs }, { invoke }, () => {});

    await vi.advanceTimersByTimeAsync(MINUTE);
    stop();
    expect(invoke).not.toHaveBeenCalled();
  });
});
