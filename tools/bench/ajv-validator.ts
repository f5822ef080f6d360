import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as z from "zod/mini";
import { CandidateSubmission } from "#contract/candidate-submission";

/** The JSON Schema of a submission: what Zod checks, without the rules between members. */
export const submissionSchema = z.toJSONSchema(CandidateSubmission, { io: "input", unrepresentable: "any" });

/** Judges a submission as Ajv does, compiled, and fills in defaults. */
export function ajvValidator(): (body: unknown) => boolean {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(submissionSchema);
  return (body) => validate(body);
}
