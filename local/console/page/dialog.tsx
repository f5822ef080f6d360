import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. Its first field has the focus, otherwise its title. The browser keeps the focus inside, closes it on
 * Escape, and then restores the focus.
 */
export function Dialog({ title, onClose, class: name, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Only `close` restores the focus: removing the element does not.
    return () => shown?.close();
  }, []);
  // Also when a link in the dialog shows something else in it.
  useLayoutEffect(() => {
    const field = dialog.current?.querySelector("input");
    if (field) field.select();
    else heading.current?.focus();
  }, [title]);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="heading">
        <h2 id="dialog-title" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </div>
      {children}
    </dialog>
  );
}
