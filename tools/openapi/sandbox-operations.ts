import { reason } from "./candidate-examples.ts";
import type { WordsById } from "./operation-words.ts";

/** The description of the operation of the sandbox. */
export const sandboxOperations = {
  applySandboxTransition: {
    tag: "Sandbox",
    description:
      "Does what the platform does in production: verifies, promotes or rejects the candidate, revokes its consent, or " +
      "erases it, by the same rules and with the same event. A transition that the candidate's status does not allow " +
      "is refused with 400; one that is already done changes nothing and is a success. **Production has no " +
      "sandbox: the path returns 404 there.**",
    body: {
      description: "The reasons of `fail-validation`. The other transitions have no body.",
      examples: {
        // The first one is filled into the request form, for the first transition.
        others: {
          summary: "No reasons: any other transition, also without a body",
          value: {},
        },
        failValidation: { summary: "The reasons of fail-validation", value: { reasons: [reason] } },
      },
    },
    success: { description: "Done: read the candidate to see its statuses." },
    notFound: "NoCandidateToAdvance",
  },
} satisfies Partial<WordsById>;
