import { withFlags } from "./flags.ts";

/** What messages ask an integrator to send, and what they say to the platform, which has no key of the organisation. */
const REQUESTS: readonly (readonly [asked: RegExp, instead: string])[] = [
  [/\bSend PATCH\b/, "Its organisation must send PATCH"],
  [/\bsend another with POST\b/, "its organisation can send another with POST"],
  [/\bAmend (?:the candidate )?with\b/, "Its organisation must amend the candidate with"],
  [/\bCreate the candidate again\b/, "Its organisation must create the candidate again"],
  [/\bCheck the id against the list\b/, "Its organisation can check the id against the list"],
  [/\bRepeat the request after Retry-After seconds\b/, "Repeat the command later"],
];

/**
 * The message of a refusal, which is written for integrators, in the words of the command.
 *
 * @param org the organisation that integrators know as theirs
 */
export function platformMessage(message: string, org: string | undefined): string {
  const named = withFlags(message).replace(/\b(y)our organisation\b/i, (found, y) =>
    org === undefined ? found : `${y === "Y" ? "Organisation" : "organisation"} ${org}`,
  );
  return REQUESTS.reduce((sentence, [asked, instead]) => sentence.replace(asked, instead), named);
}
