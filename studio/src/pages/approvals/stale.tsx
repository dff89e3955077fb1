import type { ApiProblem } from "../../api/request.ts";
import { SideBySide } from "../../kit/text/side-by-side.tsx";

type Texts = {
  readonly standing?: { readonly revision: number; readonly text: string };
  readonly proposed?: { readonly revision: number; readonly text: string } | null;
};

/** The section has changed since the proposal was made: the words that stand now, and those that were wanted. */
export function Stale({ problem }: { readonly problem: ApiProblem }) {
  const { standing, proposed } = problem.error as Texts;
  return (
    <div role="alert" className="space-y-2 rounded-md border border-wait/50 p-3 text-sm">
      <p>
        It can no longer be approved: the words it was made for have changed since. Reject it; whoever wants it still
        proposes it anew, and you can write what is good in it into the section yourself.
      </p>
      {standing && proposed && (
        <SideBySide
          before={standing.text}
          after={proposed.text}
          names={[`Stands now, revision ${standing.revision}`, `Was proposed against revision ${proposed.revision}`]}
        />
      )}
    </div>
  );
}
