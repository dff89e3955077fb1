import { useCallback, useState } from "react";
import { ApiProblem } from "./door.ts";

/** Something that is asked of the server once, by a button: whether it is under way, and what the server said no with. */
export type Act = {
  readonly busy: boolean;
  readonly problem: ApiProblem | undefined;
  /** Does it, and then everything on the page is read again. Nothing comes back where it did not work. */
  readonly run: <Answer>(what: () => Promise<Answer>) => Promise<Answer | undefined>;
  readonly clear: () => void;
};

/** Makes the `useAct` of a page from what reads again all that the page shows. */
export function createAct(refresh: () => void) {
  return function useAct(): Act {
    const [busy, setBusy] = useState(false);
    const [problem, setProblem] = useState<ApiProblem>();
    const clear = useCallback(() => setProblem(undefined), []);
    const run = useCallback(async <Answer>(what: () => Promise<Answer>) => {
      setBusy(true);
      setProblem(undefined);
      try {
        return await what();
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        setProblem(error);
        return undefined;
      } finally {
        setBusy(false);
        refresh();
      }
    }, []);
    return { busy, problem, run, clear };
  };
}
