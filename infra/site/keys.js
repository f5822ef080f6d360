/**
 * Whether a key is pressed alone. With another one it may be the browser's, as Alt-← leads back; while a character is
 * composed, arrows choose among candidates.
 */
export function isPlain({ altKey, ctrlKey, metaKey, shiftKey, isComposing }) {
  return !(altKey || ctrlKey || metaKey || shiftKey || isComposing);
}
