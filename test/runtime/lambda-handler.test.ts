import { expect, test } from "vitest";
import { lambdaHandler } from "#runtime/lambda-handler";
import { withVirtualTimers } from "../../tools/simulation/process-timers.ts";
import { Random } from "../../tools/simulation/random.ts";
import { VirtualClock } from "../../tools/simulation/virtual-clock.ts";

test("a Lambda handler has no timeout of its own and responds only after its work has ended", async () => {
  const clock = new VirtualClock(0);
  const context = { getRemainingTimeInMillis: () => 25_000 };
  const handler = lambdaHandler<object, string>().handler(async () => {
    await clock.delay(25_000);
    return "done";
  });

  const result = await withVirtualTimers(clock, new Random("timeouts"), async () => {
    const running = handler({}, context as Parameters<typeof handler>[1]);
    running.catch(() => {});
    await clock.run(60_000);
    return running;
  });

  expect(result).toBe("done");
});
