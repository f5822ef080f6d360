/** The option with which the command fills each member of a private function's payload. */
const FLAGS: Readonly<Record<string, string>> = {
  after: "--after",
  assessment: "--file",
  documentType: "--type",
  endpointId: "--endpoint",
  eventId: "--event",
  eventTypes: "--types",
  expiresAt: "--expires",
  externalId: "--external-id",
  handle: "--id",
  keyId: "--key",
  limit: "--limit",
  name: "--name",
  newOrganisation: "--new-organisation",
  number: "--number",
  orgId: "--org",
  reasons: "--reason",
  recoveryId: "--recovery",
  score: "--score",
  since: "--since",
  until: "--until",
  updatedAt: "--updated-at",
};

/** A member at the beginning of a problem, such as `reasons[1].code: `; problems are joined by `; `. */
const HEAD = /(?<=^|; )(?<member>[A-Za-z]+)(?:\[(?<index>\d+)\])?(?:\.(?<inner>[\w.[\]]+))?: /.source;
/** A member within a problem: two words in one, which no sentence has, or with a value, such as `since=2026-…`. */
const MENTION = /\b(?<mentioned>[a-z]+[A-Z]\w*|[a-z]+(?==))/.source;
const MEMBER = new RegExp(`${HEAD}|${MENTION}`, "g");

/**
 * A private function's message with the command's options instead of the members that they fill, which a user of the
 * command does not know: `reasons[1].code: …` becomes `--reason, value 2, code: …`.
 */
export function withFlags(message: string): string {
  return message.replace(MEMBER, (found, ...rest) => {
    const { member, index, inner, mentioned } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const name = member ?? mentioned ?? "";
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    // Sentences speak of the externalId that a candidate has.
    if (flag === undefined || mentioned === "externalId") return found;
    if (mentioned !== undefined) return flag;
    const value = index === undefined ? [] : [`value ${Number(index) + 1}`];
    return `${[flag, ...value, ...(inner === undefined ? [] : [inner])].join(", ")}: `;
  });
}
