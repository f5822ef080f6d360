import type { CandidateAction, CandidateView } from "../page-data.ts";
import { ACTION_LABELS } from "./act.ts";
import { press } from "./action-dialog.tsx";
import { candidateName, externalIdText } from "./candidate-name.ts";
import { OpenLink } from "./panel.tsx";
import { CandidateStatusMark, Time } from "./values.tsx";

export function CandidateRow({
  item,
  isCurrent,
}: {
  readonly item: CandidateView;
  readonly isCurrent: boolean;
}) {
  const { externalId, stagedId, id, status, verificationStatus, availabilityStatus } = item;
  return (
    <div class="candidate">
      <div class="line">
        <CandidateStatusMark status={status} />
        <OpenLink open={stagedId} isCurrent={isCurrent}>
          {externalId === null ? "(erased)" : externalIdText(externalId)}
        </OpenLink>
        {verificationStatus && <span class="quiet">{verificationStatus}</span>}
        {availabilityStatus && <span class="quiet">{availabilityStatus}</span>}
        {item.workReadinessScore !== null && <span class="quiet">score {item.workReadinessScore}</span>}
        <Time at={item.updatedAt} />
      </div>
      <div class="line id quiet">
        <span>{stagedId}</span>
        {id && <span>{id}</span>}
      </div>
      <CandidateButtons candidate={item} isReached={isCurrent} />
    </div>
  );
}

/** A button for each action. */
export function CandidateButtons({
  candidate,
  isReached,
}: {
  readonly candidate: CandidateView;
  /** Whether the Tab key reaches them. */
  readonly isReached: boolean;
}) {
  const { actions } = candidate;
  return (
    <div class="buttons">
      {(Object.entries(ACTION_LABELS) as [CandidateAction, string][]).map(([action, label]) => (
        <button
          key={action}
          type="button"
          tabIndex={isReached ? 0 : -1}
          // Not `disabled`: a pressed button would lose the focus.
          aria-disabled={!actions.includes(action)}
          aria-label={`${label} ${candidateName(candidate)}`}
          onClick={() => press(action, candidate)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
