import { signal } from "@preact/signals";
import type { CandidateAction, CandidateView } from "../page-data.ts";
import { ACTION_LABELS, actOnce } from "./act.ts";
import { candidateName } from "./candidate-name.ts";
import { Dialog } from "./dialog.tsx";

/** The action for which the dialog is open. */
const asked = signal<{ readonly action: CandidateAction; readonly candidate: CandidateView } | undefined>(
  undefined,
);

/** Whether an action needs input or confirmation. */
const ASKS: Readonly<Record<CandidateAction, boolean>> = {
  verify: false,
  promote: false,
  "fail-validation": true,
  "revoke-consent": false,
  erase: true,
  score: true,
};

/** Runs a button's action, after a dialog if it needs input or confirmation. */
export function press(action: CandidateAction, candidate: CandidateView): void {
  if (!candidate.actions.includes(action)) return;
  if (ASKS[action]) asked.value = { action, candidate };
  else advance(action, candidate);
}

function advance(action: CandidateAction, candidate: CandidateView, input: object = {}): void {
  const { orgId, stagedId } = candidate;
  const about = `${ACTION_LABELS[action]} ${candidateName(candidate)}: `;
  void actOnce("advance-candidate", { orgId, handle: stagedId, transition: action, ...input }, about);
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
    <Dialog title={`${ACTION_LABELS[action]} ${candidateName(candidate)}`} onClose={close}>
      <form onSubmit={submit}>
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
    </Dialog>
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
