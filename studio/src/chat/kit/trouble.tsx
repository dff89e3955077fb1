import type { ApiProblem } from "../api/request.ts";
import { plainRefusal, type Refusal } from "./refusal.ts";

/** What did not work, and what to do. */
export function Trouble({ problem, again }: { readonly problem: ApiProblem; readonly again?: () => void }) {
  const { refusals, hint } = problem.error;
  return (
    <div role="alert" className="rounded-xl border border-bad/40 bg-card px-4 py-3 text-sm [overflow-wrap:anywhere]">
      {Array.isArray(refusals) && refusals.length > 0 ? (
        <Refusals of={refusals as readonly Refusal[]} />
      ) : (
        <>
          <p className="text-bad">{problem.message}</p>
          {hint && !hint.includes("`") && <p className="text-soft">{hint}</p>}
        </>
      )}
      {again && (
        <button type="button" onClick={again} className="mt-1 font-medium text-accent underline">
          Try again
        </button>
      )}
    </div>
  );
}

/** Every objection to a change, in plain words; how the server says it stands below. */
export function Refusals({ of }: { readonly of: readonly Refusal[] }) {
  return (
    <ul className="space-y-2">
      {of.map((one) => (
        <li key={one.guard + one.because}>
          <p className={one.holds ? "text-wait" : "text-bad"}>{plainRefusal(one)}</p>
          <p dir="auto" className="text-soft text-xs">
            {one.because}
          </p>
        </li>
      ))}
    </ul>
  );
}
