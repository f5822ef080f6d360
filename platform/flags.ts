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
const MEMBER = /(?<=^|; )(?<member>[A-Za-z]+)(?:\[(?<index>\d+)\])?(?:\.(?<inner>[\w.[\]]+))?: /g;

/**
 * A private function's message with the command's options instead of the members that they fill, which a user of the
 * command does not know: `reasons[1].code: …` becomes `--reason, value 2, code: …`.
 */
export function withFlags(message: string): string {
  return message
    .replace(MEMBER, (found, member: string, index: string | undefined, inner: string | undefined) => {
      const flag = Object.hasOwn(FLAGS, member) ? FLAGS[member] : undefined;
      if (flag === undefined) return found;
      const value = index === undefined ? [] : [`value ${Number(index) + 1}`];
      return `${[flag, ...value, ...(inner === undefined ? [] : [inner])].join(", ")}: `;
    })
    .replace("Omit newOrganisation", "Omit --new-organisation");
}
