import type { ReactNode } from "react";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Trouble } from "./page.tsx";
import type { Act } from "./use-act.ts";

/** A dialog that makes something new: fields, what the server said no with, and the choice to do it or not now. */
export function FormDialog({
  open,
  onClose,
  title,
  about,
  act: { busy, problem },
  does,
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
        {problem && <Trouble problem={problem} />}
        <div className="flex justify-end gap-2">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" disabled={busy || !ready}>
            {does}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
