import { type ReactNode, useEffect, useRef } from "react";

/** A question above the page. The browser keeps the focus in it; Escape and a click beside it close it. */
export function Modal({
  open,
  onClose,
  title,
  children,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !box.current?.open) box.current?.showModal();
    if (!open) box.current?.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too.
    <dialog
      ref={box}
      aria-label={title}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
      className="m-auto w-[calc(100vw-2rem)] max-w-md rounded-2xl border border-line bg-paper p-0 shadow-2xl backdrop:bg-black/40"
    >
      {open && (
        <div className="p-5">
          <h2 className="mb-2 font-semibold text-lg tracking-tight">{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}
