import { useCallback, useState } from "react";
import { refresh } from "../api/event-feed.ts";
import type { ApiProblem } from "../api/request.ts";

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
  const run = useCallback(async <Answer>(what: () => Promise<Answer>) => {
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
