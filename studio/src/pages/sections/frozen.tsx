import { Link } from "wouter";

/** The operator's brake is on: what that means for whoever wants to change words. */
export function Frozen({ agent, what }: { readonly agent: string; readonly what: "amendments" | "agent" }) {
  return (
    <div role="status" className="mb-4 rounded-lg border border-wait/50 bg-card p-3 text-sm">
      <p>
        <strong className="text-wait">{what === "agent" ? "Frozen." : "Amendments are frozen."}</strong>{" "}
        {what === "agent"
          ? `“${agent}” takes no turns, and nobody can change its text, operators included.`
          : `“${agent}” still takes turns, but nobody can change its text, operators included.`}{" "}
        What you type is kept in this browser. To unfreeze: <code>charter thaw {agent}</code>, or the page{" "}
        <Link href="/home" className="text-accent underline">
          Agents
        </Link>
        .
      </p>
    </div>
  );
}
