/** A tool that the agent behind the model has itself. */
export type OwnTool = {
  readonly title: string;
  readonly kind: string;
  readonly status: "pending" | "running" | "done" | "failed";
  readonly paths: readonly string[];
};

export const isOver = ({ status }: OwnTool): boolean => status === "done" || status === "failed";

const ownToolStates: Readonly<Record<OwnTool["status"], readonly [words: string, look: string]>> = {
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

/** What an agent over ACP asks leave for is held as a call of this “tool”, with the kind of its own tool behind it. */
const prefix = "acp:";

export const isPermission = (tool: string): boolean => tool.startsWith(prefix);

/** What is asked, without who asks: “run: make”. `asks` is the server's word: “asks to run: make”. */
export const wishOf = (asks: string): string => asks.replace(/^asks to /, "");

/** Where only the tool's name is known: what it is, in words. */
export const heldName = (tool: string): string =>
  isPermission(tool) ? `use a tool of its own (${tool.slice(prefix.length)})` : tool;

/** What a yes comes to. */
export const allowedOnce = "allowed once, in the next turn, if the agent asks for the same again";

export type AskedPermission = { readonly paths: readonly string[]; readonly input: unknown };

/** Of what was held, what the tool would be given and which files it names. */
export function askedIn(input: unknown): AskedPermission {
  const asked = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const paths = Array.isArray(asked.paths) ? asked.paths.filter((path) => typeof path === "string") : [];
  return { paths, input: asked.input ?? null };
}
