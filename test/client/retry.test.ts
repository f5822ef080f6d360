import fc from "fast-check";
import { expect, test } from "vitest";
import { CandidateServiceError } from "../../client/src/error.ts";
import { waitBeforeRetryMs } from "../../client/src/retry.ts";

test("the client's backoff has full jitter up to a doubling bound, is whole, and never ends before Retry-After", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempts, retryAfterMs, random) => {
        const error = new CandidateServiceError("service_unavailable", "", {
          status: 503,
          attempts,
          retryAfterMs,
        });
        const asked = retryAfterMs ?? 0;
        const waitMs = waitBeforeRetryMs({ error, idempotent: true, random });

        expect(waitMs).toSatisfy(Number.isInteger);
        expect(waitMs).toBeGreaterThanOrEqual(asked);
        expect(waitMs).toBeLessThanOrEqual(asked + Math.min(20_000, 250 * 2 ** (attempts - 1)));
      },
    ),
  );
});

test.each([
  [1, 125],
  [2, 250],
  [3, 500],
  [30, 10_000],
])("after attempt %i the client waits %i ms if chance chooses the middle", (attempts, ms) => {
  const error = new CandidateServiceError("service_unavailable", "", { status: 503, attempts });

  expect(waitBeforeRetryMs({ error, idempotent: true, random: 0.5 })).toBe(ms);
});

test.each([
  [false, undefined],
  [true, 3_600_000],
])(
  "a Retry-After of a day ends the retries, but of a patient call (%s), which waits an hour",
  (patient, ms) => {
    const retryAfterMs = 86_400_000;
    const error = new CandidateServiceError("rate_limited", "", { status: 429, attempts: 1, retryAfterMs });

    expect(waitBeforeRetryMs({ error, idempotent: true, patient, random: 0 })).toBe(ms);
  },
);

test.each([
  [60_000, 60_000],
  [60_001, undefined],
])(
  "a Retry-After of up to a minute is waited for, and a longer one ends the retries (%i ms)",
  (retryAfterMs, ms) => {
    const error = new CandidateServiceError("rate_limited", "", { status: 429, attempts: 1, retryAfterMs });

    expect(waitBeforeRetryMs({ error, idempotent: true, random: 0 })).toBe(ms);
  },
);
