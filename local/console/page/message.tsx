import { useRef } from "preact/hooks";
import { lastMessage } from "./act.ts";
import { isStale } from "./live.ts";

type Text = typeof lastMessage.value;

const HINT: Text = {
  text: "Shows only ids and states: no personal data except the externalId.",
  refused: false,
};

const NONE: Text = { text: "", refused: false };

const NOT_RESPONDING: Text = {
  text: "The local stack does not respond, so this page may be out of date. Start it with npm start.",
  refused: true,
};

/** The message about the last action, unless the stack does not respond. */
export function Message() {
  return <Line shown={lastMessage.value.text === "" ? HINT : lastMessage.value} />;
}

/** In an open dialog, which is in front of the page's message: only one that is newer than the dialog. */
export function NewMessage() {
  const before = useRef(lastMessage.peek()).current;
  return <Line shown={lastMessage.value === before ? NONE : lastMessage.value} />;
}

function Line({ shown }: { readonly shown: Text }) {
  const { text, refused } = isStale.value ? NOT_RESPONDING : shown;
  return <output class={refused ? "last-message refused" : "last-message"}>{text}</output>;
}
