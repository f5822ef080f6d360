import type { Handle } from "#candidates/handles";
import { consentRestored, consentRevoked } from "#candidates/lifecycle";
import { existing, readable } from "#candidates/store/item/access";
import { type CandidateItem, packMembers } from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import {
  type AmendOptions,
  amendmentUpdate,
  type ConsentEffect,
  consentEffect,
} from "#candidates/store/write/amendment-update";
import type { ItemUpdate } from "#candidates/store/write/item-writes";
import { asUncertain, type Refused, WRITE_ATTEMPTS } from "#candidates/store/write/write-outcome";
import { newStamp, newWriteId, type WriteSources } from "#candidates/store/write/write-stamp";
import type { CandidateAmendment } from "#contract/candidate-submission";
import { ConsentRevoked, PreconditionFailed, ServiceUnavailable } from "#contract/errors";
import { optimisticRetry } from "#runtime/optimistic-retry";

/** An update sent by an amend, and its effect: if it is refused, whether to repeat it depends on the effect. */
export interface Attempt {
  readonly update: ItemUpdate;
  readonly effect: ConsentEffect;
}

/**
 * An amend in progress: its next update, and how it continues after a refused one. Errors as
 * `CandidateRepository.amend`.
 */
export type AmendWrite = ReturnType<typeof amendWrite>;

export function amendWrite(
  sources: WriteSources,
  orgId: string,
  handle: Handle,
  amendment: CandidateAmendment,
  options: AmendOptions,
) {
  const writeId = newWriteId(sources);
  const packed = packMembers(amendment);
  const access = amendment.consentGiven ? existing : readable;
  /** The candidate as read, or as returned when it refused the last update; undefined before that. */
  let seen: CandidateItem | undefined;
  /** The latest attempt; undefined before the first. */
  let latest: Attempt | undefined;
  let mayBeDone = false;

  function assertRepeatable(item: CandidateItem, { effect, update }: Attempt): void {
    // If this amend withdrew consent, consent may have been given again since, or another life may have begun.
    // The amend must neither withdraw consent twice nor change the next life.
    const isOver = effect === consentRevoked || item.receivedAt > update.set.updatedAt;
    if (mayBeDone && isOver) throw new ServiceUnavailable();
    // Consent that this amend restored or left in place has been revoked since. It must not be restored again.
    const isRevokedSince = mayBeDone || (effect === consentRestored && item.sequence !== seen?.sequence);
    if (isRevokedSince && item.status === "consent_revoked") throw new ConsentRevoked();
  }

  /** Records the candidate as read, or as returned when it refused the latest attempt, for the next one. */
  function see(item: CandidateItem | undefined): CandidateItem {
    const current = access(item, handle);
    if (latest) assertRepeatable(current, latest);
    seen = current;
    assertVersion(seen.updatedAt, options);
    return seen;
  }

  return {
    key: candidateKey(orgId, handle.digest),
    handle,
    writeId,
    packed,
    retry: optimisticRetry(WRITE_ATTEMPTS, (error) => (mayBeDone ? asUncertain(error) : error)),
    see,
    next(): Attempt {
      const stamp = newStamp(sources, writeId, seen?.updatedAt);
      const effect = consentEffect(amendment, seen?.status === "consent_revoked");
      latest = { update: amendmentUpdate(effect, handle, { ...options, ...stamp, packed }), effect };
      return latest;
    },
    /** Records the item that failed the latest update's condition. */
    refusedBy({ kind, item }: Refused): CandidateItem {
      mayBeDone ||= kind === "uncertain";
      return see(item);
    },
  };
}

/** @throws PreconditionFailed if the version is not one of those requested */
export function assertVersion(updatedAt: string, { ifMatch }: AmendOptions): void {
  if (ifMatch && !ifMatch.includes(updatedAt)) throw new PreconditionFailed();
}
