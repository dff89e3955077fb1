import { useCallback, useState } from "react";
import { refresh } from "./read.ts";
import { ApiProblem } from "./request.ts";

/** Something that is asked of the server once, by a button. */
export type Act = {
  readonly busy: boolean;
  readonly problem: ApiProblem | undefined;
  /** Does it, and then reads again what is shown. Whether it worked, and what was answered. */
  readonly run: <Answer>(what: () => Promise<Answer>) => Promise<{ readonly done: Answer } | undefined>;
  readonly clear: () => void;
};

export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const clear = useCallback(() => setProblem(undefined), []);
  const run = useCallback(async <Answer>(what: () => Promise<Answer>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      return { done: await what() };
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
}
