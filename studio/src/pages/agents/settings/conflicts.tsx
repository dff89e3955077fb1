import { Button } from "../../../kit/field.tsx";
import type { Conflict } from "./merge.ts";
import type { Path } from "./path.ts";

const nameOf = (path: Path) => (path[0] === "settings" && path.length > 1 ? path.slice(1) : path).join(".");

/** What others have changed while this was being typed, and what was not typed here. */
export function TakenOver({ paths }: { readonly paths: readonly Path[] }) {
  if (paths.length === 0) return null;
  return (
    <p role="status" className="rounded-md bg-raised p-3 text-sm [overflow-wrap:anywhere]">
      Someone else has changed {paths.map(nameOf).join(", ")} meanwhile. Their change is in the form; yours is kept.
    </p>
  );
}

/** Settings that two have changed: one of the two is chosen before anything is saved. */
export function Conflicts({
  conflicts,
  onDecide,
}: {
  readonly conflicts: readonly Conflict[];
  readonly onDecide: (conflict: Conflict, whose: "mine" | "theirs") => void;
}) {
  if (conflicts.length === 0) return null;
  return (
    <div role="alert" className="rounded-md border border-wait/50 bg-card p-3 text-sm">
      <p>Someone else has changed the same settings since you began. Choose which of them to keep.</p>
      <ul className="mt-2 space-y-3">
        {conflicts.map((conflict) => {
          const name = nameOf(conflict.path);
          return (
            <li key={name} className="grid gap-1">
              <code className="font-medium [overflow-wrap:anywhere]">{name}</code>
              <div className="grid gap-2 sm:grid-cols-2">
                {(["mine", "theirs"] as const).map((whose) => (
                  <div key={whose} className="min-w-0 rounded border border-line p-2">
                    <p className="text-soft text-xs">{whose === "mine" ? "Yours" : "Theirs"}</p>
                    <p
                      dir="auto"
                      className="line-clamp-6 whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]"
                    >
                      {said(conflict[whose])}
                    </p>
                    <Button className="mt-1" onClick={() => onDecide(conflict, whose)}>
                      {whose === "mine" ? "Keep mine" : "Take theirs"}
                    </Button>
                  </div>
                ))}
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function said(value: unknown): string {
  if (value === undefined) return "(not set)";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
