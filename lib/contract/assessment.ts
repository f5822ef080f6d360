import * as z from "zod/mini";
import { isAbsent, rule } from "#contract/rule";
import {
  list,
  nullableDateTime,
  nullableNumber,
  nullableText,
  nullableUri,
  object,
  oneOf,
  text,
} from "#contract/values";

export const Competency = object({
  code: text(1, 64),
  label: z.optional(nullableText(200)),
  score: z.optional(nullableNumber(0, 100)),
});

/** The members of an assessment. */
export const assessmentShape = {
  externalId: z.optional(nullableText(128)),
  provider: z._default(oneOf(["proctor", "partner", "other"]), "partner"),
  name: text(1, 200),
  status: oneOf(["scheduled", "in_progress", "completed", "expired", "cancelled"]),
  outcome: z.optional(oneOf(["pass", "fail", "inconclusive"])),
  score: z.optional(nullableNumber(0, 100)),
  maxScore: z.optional(nullableNumber(0)),
  scoreBand: z.optional(nullableText(60)),
  competencies: z._default(list(Competency, 100), []),
  reportKey: z.optional(nullableText(512)),
  reportUrl: z.optional(nullableUri()),
  completedAt: z.optional(nullableDateTime()),
  expiresAt: z.optional(nullableDateTime()),
};

/** The rule of an assessment: at most one of `reportKey` and `reportUrl`. */
export const atMostOneReport = () =>
  rule<{ readonly reportKey?: unknown; readonly reportUrl?: unknown }>(
    (assessment) => isAbsent(assessment.reportKey) || isAbsent(assessment.reportUrl),
    "at most one of reportKey or reportUrl is expected",
  );

export const Assessment = object(assessmentShape, atMostOneReport());
export type Assessment = z.infer<typeof Assessment>;
