import { type KeyboardEvent, type ReactNode, useState } from "react";
import { refresh } from "../api/event-feed.ts";
import { type Act, createAct } from "../kit/act.ts";
import { Button } from "../kit/field.tsx";
import { Dialog } from "../kit/menu.tsx";
import { Trouble } from "./page.tsx";

export const useAct = createAct(refresh);

/** Closes what opened in place; what lies around it stays open. */
export function onEscape(close: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    close();
  };
}

type SureProps = {
  /** What the button says, and what it is called by whoever cannot see where it stands. */
  readonly does: string;
  readonly label: string;
  /** What is asked once it was pressed, and what a yes says. */
  readonly asks: string;
  readonly yes: string;
  readonly busy: boolean;
  readonly onYes: () => void;
};

/** Something that cannot be taken back: it is asked twice. Escape means no. */
export function Sure({ does, label, asks, yes, busy, onYes }: SureProps) {
  const [asked, setAsked] = useState(false);
  if (!asked)
    return (
      <Button kind="quiet" disabled={busy} aria-label={label} onClick={() => setAsked(true)}>
        {does}
      </Button>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is pressed on the buttons inside.
    <div className="flex flex-wrap items-center gap-2 text-sm" onKeyDown={onEscape(() => setAsked(false))}>
      <span>{asks}</span>
      <Button kind="danger" disabled={busy} onClick={onYes}>
        {yes}
      </Button>
      <Button kind="quiet" autoFocus onClick={() => setAsked(false)}>
        Keep it
      </Button>
    </div>
  );
}

/** A dialog that makes something new: fields, what the server said no with, and the choice to do it or not now. */
export function FormDialog({
  open,
  onClose,
  title,
  about,
  act: { busy, problem },
  does,
  kind = "primary",
  ready,
  onSubmit,
  children,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about: string;
  readonly act: Pick<Act, "busy" | "problem">;
  /** What the button that does it says. */
  readonly does: string;
  readonly kind?: "primary" | "danger";
  readonly ready: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly children: ReactNode;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={title} about={about}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit();
        }}
      >
        {children}
        <Trouble problem={problem} />
        <div className="flex justify-end gap-2">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind={kind} disabled={busy || !ready}>
            {does}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
