import { questionOf } from "../../agent/held-question.ts";
import { allowedOnce, isPermission } from "../../agent/turn/permission.ts";
import type { Scope } from "../../amend/amendment.ts";
import { visible } from "../../prompt/character.ts";
import { type HeldProposal, isForOperator } from "../../store/amendments/held-proposal.ts";
import type { Store } from "../../store/store.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";

/** A button under a message. `data` is sent back when it is pressed, at most 64 bytes. */
export type Button = { readonly text: string; readonly data: string };

/** What a person is asked, and the answers there are. */
export type Approval = { readonly text: string; readonly buttons: readonly Button[] };

export type Decision = { readonly approved: boolean; readonly held: string };

/** All that a turn left for its user to decide. What only the operator may decide is not among it. */
export async function approvalsOf(
  store: Store,
  { agent, user }: Scope & { readonly user: string },
  turn: string,
): Promise<Approval[]> {
  const calls = await all((page) => store.calls.list({ agent, user, ...page }));
  const proposals = await all((page) => store.held.list({ agent, user, ...page }));
  return [
    ...calls.filter((call) => call.turn === turn).map((call) => approval(call.id, callWords(call))),
    ...proposals
      .filter((held) => held.proposal.turn === turn && !isForOperator(held))
      .map((held) => approval(held.id, heldWords(held))),
  ];
}

export function decisionOf(data: string): Decision | undefined {
  const [, word, held] = /^(yes|no) ([\w-]{1,60})$/.exec(data) ?? [];
  return held === undefined ? undefined : { approved: word === "yes", held };
}

function approval(id: string, text: string): Approval {
  return {
    text,
    buttons: [
      { text: "Approve", data: `yes ${id}` },
      { text: "Reject", data: `no ${id}` },
    ],
  };
}

function callWords(held: HeldCall): string {
  const { sentence, details } = questionOf(held);
  const given = details.length === 0 ? [] : [details.join("\n")];
  const once = isPermission(held) ? [`If you approve, it is ${allowedOnce}.`] : [];
  return [sentence, ...given, ...once].join("\n\n");
}

function heldWords({ section, proposal, after, refusals }: HeldProposal): string {
  const reason = proposal.reason ? ` (${shown(proposal.reason)})` : "";
  const why = refusals.map(({ because }) => because).join(" ");
  const words = after === "" ? "It would be empty." : `It would then read:\n\n${shown(after)}`;
  return `May I change “${section}”?${reason}\n\n${words}\n\nWhy you are asked: ${why}`;
}

/** What no eye sees is written out: someone who says yes has seen all of it. More than this nobody reads in a chat. */
function shown(words: string): string {
  const seen = visible(words);
  const max = 12_000;
  const rest = seen.length - max;
  return rest <= 0 ? seen : `${seen.slice(0, max).toWellFormed()}… (${rest} more characters; see all of it on the web)`;
}

async function all<Row>(list: (page: { limit: number; offset: number }) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const limit = 200; ; ) {
    const page = await list({ limit, offset: rows.length });
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}
