import { expect, onTestFinished, test, vi } from "vitest";
import { forward } from "../../../client/listen/forward.ts";
import { aFeedEvent } from "../feed-service.ts";
import { aService, hangs } from "../scripted-service.ts";

test("an event whose receiver does not respond in time is shown with a timeout", async () => {
  const timeouts = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  onTestFinished(() => timeouts.mockRestore());
  const { baseUrl } = await aService(hangs);

  const forwarded = await forward(aFeedEvent(1), {
    url: new URL(baseUrl),
    secret: "whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM=",
  });

  expect(forwarded).toMatchObject({ eventId: "evt_1", failure: "timeout" });
  expect(forwarded.statusCode).toBeUndefined();
});
