import { ApiProblem, encodeName, sendJson } from "../../api/request.ts";
import { type Act, useAct } from "../../app/form-dialog.tsx";

export type Decide = <Answer>(
  way: "approve" | "reject",
  body: object,
  then: (answer: Answer) => void,
  late: () => void,
) => Promise<void>;

/** Sends a decision. What someone else has decided meanwhile is an answer, not a failure. */
export function useDecision(id: string): Pick<Act, "busy" | "problem"> & { readonly decide: Decide } {
  const { busy, problem, run } = useAct();
  const decide: Decide = async (way, body, then, late) => {
    const answer = await run(() =>
      sendJson<never>(`/approvals/${encodeName(id)}/${way}`, body).catch((error: unknown): "late" => {
        if (error instanceof ApiProblem && error.error.code === "already-decided") return "late";
        throw error;
      }),
    );
    if (answer === "late") late();
    else if (answer !== undefined) then(answer);
  };
  return { busy, problem, decide };
}
