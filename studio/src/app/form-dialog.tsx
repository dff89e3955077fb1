import { type ReactNode, useCallback, useState } from "react";
import { refresh } from "../api/event-feed.ts";
import type { ApiProblem } from "../api/request.ts";
import { Button } from "../kit/field.tsx";
import { Dialog } from "../kit/menu.tsx";
import { Trouble } from "./page.tsx";

/** Something that is asked of the server once, by a button: whether it is under way, and what the server said no with. */
export type Act = {
  readonly busy: boolean;
  readonly problem: ApiProblem | undefined;
  /** Does it, and then everything on the page is read again. Nothing comes back where it did not work. */
  readonly run: <Answer>(what: () => Promise<Answer>) => Promise<Answer | undefined>;
};

export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const run = useCallback(async <Answer,>(what: () => Promise<Answer>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      return await what();
    } catch (error) {
      setProblem(error as ApiProblem);
      return undefined;
    } finally {
      setBusy(false);
      refresh();
    }
  }, []);
  return { busy, problem, run };
}

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
