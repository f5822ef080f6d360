import { computed, signal } from "@preact/signals";
import { memo } from "preact/compat";
import type { CandidateAction, CandidateView } from "../view.ts";
import { act } from "./act.ts";
import { lists, newestFirst } from "./live.ts";
import { Panel } from "./panel.tsx";
import { CandidateStatus, Time } from "./words.tsx";

const ACTIONS: readonly (readonly [CandidateAction, string])[] = [
  ["verify", "Verify"],
  ["promote", "Promote"],
  ["fail-validation", "Fail validation"],
  ["revoke-consent", "Revoke consent"],
  ["erase", "Erase"],
  ["score", "Score"],
];

/** The action for which the dialog is open. */
const asked = signal<{ readonly action: CandidateAction; readonly candidate: CandidateView } | undefined>(
  undefined,
);

// By creation time, which never changes, so that rows do not move under the pointer.
const candidates = newestFirst(lists.candidates, ({ receivedAt }) => receivedAt);

/** The list when the pointer entered it. Buttons must not move while they are pressed. */
const held = signal<readonly CandidateView[] | undefined>(undefined);

/** The current list, without items added while the pointer is over it. */
const visible = computed(() => {
  const keys = new Set(held.value?.map(({ key }) => key));
  const known = candidates.value.filter(({ key }) => keys.has(key));
  // Empty if another organisation was chosen by keyboard in the meantime.
  return known.length === 0 ? candidates.value : known;
});

export function Candidates() {
  const newer = candidates.value.length - visible.value.length;
  return (
    <Panel
      id="candidates"
      title="Candidates"
      items={visible.value}
      Row={Candidate}
      empty="No candidates yet. Create a sample, or send one to the API."
      onPointerEnter={() => {
        held.value = candidates.value;
      }}
      onPointerLeave={() => {
        held.value = undefined;
      }}
    >
      {newer > 0 && <span class="quiet">{newer} more when the pointer leaves the list</span>}
    </Panel>
  );
}

const Candidate = memo(function Candidate({ item }: { readonly item: CandidateView }) {
  const { externalId, stagedId, id, status, verificationStatus, availabilityStatus } = item;
  return (
    <li class="candidate">
      <div class="line">
        <CandidateStatus status={status} />
        <strong>{externalId ?? "(erased)"}</strong>
        {verificationStatus && <span class="quiet">{verificationStatus}</span>}
        {availabilityStatus && <span class="quiet">{availabilityStatus}</span>}
        {item.workReadinessScore !== null && <span class="quiet">score {item.workReadinessScore}</span>}
        <Time at={item.updatedAt} />
      </div>
      <div class="line id quiet">
        <span>{stagedId}</span>
        {id && <span>{id}</span>}
      </div>
      <div class="buttons">
        {ACTIONS.map(([action, label]) => (
          <button
            key={action}
            type="button"
            // Not `disabled`: a pressed button would lose the focus.
            aria-disabled={!item.actions.includes(action)}
            aria-label={`${label} ${externalId ?? stagedId}`}
            onClick={() => press(action, item)}
          >
            {label}
          </button>
        ))}
      </div>
    </li>
  );
});

function press(action: CandidateAction, candidate: CandidateView): void {
  if (!candidate.actions.includes(action)) return;
  if (action === "verify" || action === "promote" || action === "revoke-consent") advance(action, candidate);
  else asked.value = { action, candidate };
}

function advance(action: CandidateAction, candidate: CandidateView, input: object = {}): void {
  const { orgId, stagedId, externalId } = candidate;
  const label = ACTIONS.find(([name]) => name === action)?.[1];
  const about = `${label} ${externalId ?? stagedId}: `;
  void act("advance-candidate", { orgId, handle: stagedId, transition: action, ...input }, about);
}

/** Asks for an action's input (a reason or a score) or for confirmation. */
export function ActionDialog() {
  const question = asked.value;
  if (!question) return null;
  const { action, candidate } = question;
  const close = () => {
    asked.value = undefined;
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    advance(action, candidate, inputOf(action, new FormData(event.currentTarget as HTMLFormElement)));
    close();
  };
  return (
    <dialog
      aria-labelledby="question"
      onClose={close}
      ref={(dialog: HTMLDialogElement | null) => {
        if (dialog && !dialog.open) dialog.showModal();
      }}
    >
      <form onSubmit={submit}>
        <h2 id="question">
          {ACTIONS.find(([name]) => name === action)?.[1]} {candidate.externalId ?? candidate.stagedId}
        </h2>
        <Question action={action} candidate={candidate} />
        <div class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {action === "erase" ? "Erase" : "Apply"}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function Question({
  action,
  candidate,
}: {
  readonly action: CandidateAction;
  readonly candidate: CandidateView;
}) {
  if (action === "erase") return <p>This erases all personal data and cannot be undone.</p>;
  if (action === "score") {
    return (
      <label>
        Work-readiness score, 0 to 100 (leave empty for none)
        <input
          name="score"
          type="number"
          min="0"
          max="100"
          step="any"
          value={candidate.workReadinessScore ?? ""}
        />
      </label>
    );
  }
  return (
    <>
      <label>
        Reason code
        <input name="code" required pattern="[a-z0-9_]+" maxLength={64} value="cv_unreadable" />
      </label>
      <label>
        Message
        <input name="message" required maxLength={500} value="The CV could not be opened." />
      </label>
    </>
  );
}

function inputOf(action: CandidateAction, form: FormData): object {
  if (action === "score") return { score: form.get("score") === "" ? null : Number(form.get("score")) };
  if (action === "fail-validation") {
    return { reasons: [{ code: form.get("code"), message: form.get("message") }] };
  }
  return {};
}
