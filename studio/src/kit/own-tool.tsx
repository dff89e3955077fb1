/** A tool that the agent behind the model has itself. */
export type OwnTool = {
  readonly title: string;
  readonly kind: string;
  readonly status: "pending" | "running" | "done" | "failed";
  readonly paths: readonly string[];
};

export const ownToolStates: Readonly<Record<OwnTool["status"], readonly [words: string, look: string]>> = {
  pending: ["begun", "text-soft"],
  running: ["running…", "text-soft"],
  done: ["done", "text-soft"],
  failed: ["failed", "text-bad"],
};

export const unknownReads = "What its own tools read is not known here.";

/** One of them on a line: what it was for, of which kind, what became of it, and the files it named. */
export function OwnToolLine({ of: { title, kind, status, paths } }: { readonly of: OwnTool }) {
  const [words, look] = ownToolStates[status];
  return (
    <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 px-2.5 py-1.5">
      <bdi className="min-w-0 font-medium [overflow-wrap:anywhere]">{title}</bdi>
      <span className="text-soft">{kind}</span>
      <span className={`ml-auto ${look}`}>{words}</span>
      {paths.length > 0 && (
        <bdi className="basis-full font-mono text-[0.8em] text-soft [overflow-wrap:anywhere]">{paths.join(", ")}</bdi>
      )}
    </div>
  );
}
