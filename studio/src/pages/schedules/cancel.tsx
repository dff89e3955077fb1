import { encodeName, request, withQuery } from "../../api/request.ts";
import { Sure, useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import type { Schedule } from "./times.ts";

/** What runs is not stopped; that is said before it is asked. */
export function Cancel({
  agent,
  schedule,
}: {
  readonly agent: string;
  readonly schedule: Pick<Schedule, "id" | "title"> & { readonly scope: { readonly user?: string | undefined } };
}) {
  const { id, title, scope } = schedule;
  const { busy, problem, run } = useAct();
  const cancel = () =>
    run(() =>
      request(withQuery(`/agents/${encodeName(agent)}/schedules/${encodeName(id)}`, { user: scope.user }), {
        method: "DELETE",
      }),
    );
  return (
    <div>
      <Sure
        does="Cancel"
        label={`Cancel ${title}`}
        asks="Cancel this schedule? A running turn will finish."
        yes="Cancel it"
        busy={busy}
        onYes={cancel}
      />
      <Trouble problem={problem} />
    </div>
  );
}
