import { aService, refuses, responds, type SeenRequest, type Step } from "../scripted-service.ts";

interface Submission {
  readonly externalId: string;
}

interface Exceptions {
  /** Replaces the response to a request. */
  readonly instead?: (request: SeenRequest, rows: readonly Submission[]) => Step | undefined;
  /** When candidates are received: by default on 21 November 2026, at nine. */
  readonly receivedAt?: () => Date;
  /** Replaces a row's result in a batch. */
  readonly result?: (row: Submission) => { readonly status: number; readonly error: string } | undefined;
}

const NINE = new Date("2026-11-21T09:00:00Z");

/** The submissions that a request contains. */
function rowsOf({ body, path }: SeenRequest): Submission[] {
  if (body === "") return [];
  return path === "/v1/candidate-batches" ? JSON.parse(body).candidates : [JSON.parse(body)];
}

/** A service on loopback that creates candidates, one by one and in batches, and reads and amends them. */
export async function aCandidateService({ instead, result, receivedAt = () => NINE }: Exceptions = {}) {
  const candidates = new Map<string, object>();
  const create = (row: Submission) => {
    const replayed = candidates.has(row.externalId);
    if (!replayed) candidates.set(row.externalId, row);
    const stagedId = `staged_${row.externalId}`;
    return {
      externalId: row.externalId,
      status: 201,
      stagedId,
      receivedAt: receivedAt().toISOString(),
      replayed,
    };
  };
  const resultOf = (row: Submission) => {
    const refusal = result?.(row);
    return refusal
      ? { externalId: row.externalId, ...refusal, message: `Message of ${refusal.error}.` }
      : create(row);
  };
  const respond = (request: SeenRequest): Step => {
    const { method, path } = request;
    const rows = rowsOf(request);
    const special = instead?.(request, rows);
    if (special) return special;
    if (path === "/v1/candidate-batches") return responds(200, { results: rows.map(resultOf) });
    if (method === "POST") {
      const { replayed, ...created } = create(rows[0] as Submission);
      return responds(
        201,
        { ...created, status: "received" },
        replayed ? { "Idempotent-Replayed": "true" } : {},
      );
    }
    const externalId = path.slice("/v1/candidates/staged_".length);
    if (method === "PUT") candidates.set(externalId, { ...candidates.get(externalId), ...rows[0] });
    const record = candidates.get(externalId);
    return record ? responds(200, record, { ETag: '"1"' }) : refuses(404, "not_found");
  };
  const service = await aService((response, request) => respond(request)(response, request));
  return { ...service, candidates };
}

/** The `externalId` of each submission that was sent, in the order of the requests. */
export function externalIdsIn(requests: readonly SeenRequest[]): string[] {
  return requests.flatMap((request) => rowsOf(request).map(({ externalId }) => externalId));
}
