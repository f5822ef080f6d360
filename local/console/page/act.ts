import { signal } from "@preact/signals";
import type { CandidateAction } from "../page-data.ts";

/** The label of each action's button. */
export const ACTION_LABELS: Record<CandidateAction, string> = {
  verify: "Verify",
  promote: "Promote",
  "fail-validation": "Fail validation",
  "revoke-consent": "Revoke consent",
  erase: "Erase",
  score: "Score",
};

/** The server's message about the last action. */
export const lastMessage = signal({ text: "", refused: false });

/** The actions of buttons that the server has not responded to yet. */
const running = signal<ReadonlySet<string>>(new Set());

export function isRunning(action: string, input: object): boolean {
  return running.value.has(nameOf(action, input));
}

/** Sends a button's action, unless the same one is running: a second click acts only after the server has responded. */
export async function actOnce(action: string, input: object, about = ""): Promise<void> {
  if (isRunning(action, input)) return;
  const name = nameOf(action, input);
  running.value = new Set([...running.value, name]);
  try {
    await act(action, input, about);
  } finally {
    running.value = new Set([...running.value].filter((each) => each !== name));
  }
}

function nameOf(action: string, input: object): string {
  return `${action} ${JSON.stringify(input)}`;
}

/** Sends an action to the server. */
export async function act(action: string, input: object, about = ""): Promise<void> {
  try {
    const response = await fetch(`/console/actions/${action}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
    const { message } = (await response.json()) as { message: string };
    lastMessage.value = { text: `${about}${message}`, refused: !response.ok };
  } catch {
    // In the past tense: it stays when the stack responds again.
    lastMessage.value = {
      text: `${about}There was no response. Repeat the action if it has had no effect.`,
      refused: true,
    };
  }
}
