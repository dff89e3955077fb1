import { amendmentContextFor } from "../../../host/amendment-context.ts";
import { checkPlain, findHeld } from "../../../host/decide.ts";
import type { ApprovalOptions } from "../../../host/host.ts";
import { Problem } from "../../../prompt/problem.ts";
import { readText } from "../../../sources/input-file.ts";
import type { HeldProposal } from "../../../store/amendments/held-proposal-row.ts";
import { isStale, staleFacts } from "../../../store/amendments/stale-outcome.ts";
import type { Store } from "../../../store/store.ts";
import { colours } from "../../print/colour.ts";
import { hintsHere } from "../../print/command-name.ts";
import { callName, whenItRuns } from "../../print/held-call.ts";
import { toolsText } from "../../print/held-tool.ts";
import { staleReport } from "../../print/stale.ts";
import { printVerdict } from "../../print/verdict.ts";
import { loadAgent } from "../../shared/load-agent.ts";
import { onlyWord, parseOptions } from "../../shared/options.ts";
import { roomOf } from "../../shared/room.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  by: { type: "string" },
  content: { type: "string" },
  "content-file": { type: "string" },
  current: { type: "boolean" },
} as const;

/** A person says yes: a call is made with the next turn, a proposal is judged once more. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("approve", args, options);
  const id = onlyWord("approve", "the id of what is held", positionals);
  const by = values.by || "operator";
  const how = approvalOf(values);
  return withStore(values, async (store) => {
    const { proposal, call, tool } = await findHeld(store, id);
    if (proposal) return approveProposal(store, proposal, { by, how, json: values.json });
    checkPlain({ call, tool }, how);
    if (tool) {
      const pinned = await store.pins.approve(id, by);
      const offered = `${toolsText(tool)} offered to ${tool.agent} from the next turn on.`;
      process.stdout.write(
        `${values.json ? JSON.stringify(pinned) : `${colours(process.stdout).green("approved")}: ${offered}`}\n`,
      );
      return 0;
    }
    const approved = await store.calls.approve(call.id, by);
    const told = `${colours(process.stdout).green("approved")}: ${callName(call)}; ${whenItRuns(approved)}.`;
    process.stdout.write(`${values.json ? JSON.stringify(approved) : told}\n`);
    return 0;
  });
}

/** Other text, from the command line or a file, and whether it goes on the current text. */
function approvalOf(values: ReturnType<typeof parseOptions<typeof options>>["values"]): ApprovalOptions {
  const { content, "content-file": file, current } = values;
  if (content !== undefined && file !== undefined)
    throw new Problem("usage", "Both --content and --content-file were given.", "Give one of them.");
  const text = file === undefined ? content : readText(file, "content file");
  return { ...(text === undefined ? {} : { content: text }), ...(current ? { current } : {}) };
}

/** The guards speak once more, about what stands now, and only the one that asked is silent. */
async function approveProposal(
  store: Store,
  held: HeldProposal,
  { by, how, json }: { readonly by: string; readonly how: ApprovalOptions; readonly json: boolean | undefined },
): Promise<number> {
  const { id, scope, section } = held;
  const loaded = await loadAgent(store, scope);
  const context = await amendmentContextFor(loaded, await roomOf(loaded.declaredTurn, {}, false));
  const outcome = { ...(await store.held.approve(id, by, context, how)), held: id };
  if (isStale(outcome)) {
    const now = (await loadAgent(store, scope)).declaredTurn.turn.standing[section];
    const standing = now && "text" in now ? now : { text: outcome.before, revision: 0 };
    const facts = () => `${JSON.stringify(staleFacts(outcome, standing, held))}\n`;
    process.stdout.write(json ? facts() : staleReport(outcome, held));
    return 1;
  }
  const code = printVerdict(outcome, section, json);
  if (code !== 0 && !json)
    process.stdout.write(
      hintsHere(`It still waits for approval. Approve it again when no guard refuses it, or charter reject ${id}\n`),
    );
  return code;
}
