import { signal } from "@preact/signals";
import type { CandidateAction } from "../page-data.ts";

/** The label of each action's button. */
export const ACTIONS: Record<CandidateAction, string> = {
  verify: "Verify",
  promote: "Promote",
  "fail-validation": "Fail validation",
  "revoke-consent": "Revoke consent",
  erase: "Erase",
  score: "Score",
};

/** The server's message about the last action. */
export const lastMessage = signal({ text: "", refused: false });

/** Sends a button's action to the server. */
export async function act(action: string, input: object, about = ""): Promise<void> {
  try {
    const response = await fetch(`/console/actions/${action}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
    const { message } = await response.json();
    lastMessage.value = { text: `${about}${message}`, refused: !response.ok };
  } catch {
    lastMessage.value = { text: "The local stack does not respond. Start it with npm start.", refused: true };
  }
}
