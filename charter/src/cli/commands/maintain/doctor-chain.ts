import { counted, Problem } from "../../../prompt/problem.ts";
import type { ChainStatus, KnownChain } from "../../../server/chain-status.ts";
import type { Checkup } from "../../../store/home/database.ts";
import { timeText } from "../../print/columns.ts";

type Finding = Omit<Checkup, "fine">;

/** A chain that nobody has read for so long is not being read. */
const silentMs = 10 * 60_000;

/** What keeps an agent's chain from being read, and its replies from getting there. */
export function checkChain(agent: string, chain: ChainStatus, now: Date): Finding[] {
  const { problem, readAt, replies, held, failed, stuck, sends, key, balances } = chain;
  const isSilent = readAt !== null && now.getTime() - Date.parse(readAt) > silentMs;
  const old = balances.find(({ stale }) => stale);
  const found: (Finding | false)[] = [
    problem !== null && unread(agent, problem),
    problem === null &&
      isSilent && {
        what: `The chain of “${agent}” was last read ${timeText(readAt)} UTC.`,
        hint: "Start `charter start` or `charter work` where charter.config.ts names it.",
      },
    sends === true &&
      key === null && {
        what: `“${agent}” has to send its replies to its chain, and no key is found here.`,
        hint: "Name its file in automaton.chain.keyFile, or set CHARTER_CHAIN_KEY where it runs.",
      },
    replies.held > 0 && {
      what: `${counted(replies.held, "reply", "replies")} of “${agent}” ${replies.held === 1 ? "is" : "are"} held: ${held[0]?.reason ?? ""}`,
      hint: "They go on by themselves when they may. Fund its address; or raise maxFeePerReply or maxFeePerDay in automaton.chain, and start Charter again.",
    },
    stuck.length > 0 && {
      what: `${counted(stuck.length, "reply", "replies")} of “${agent}” ${stuck.length === 1 ? "has" : "have"} not got to the chain for more than ten minutes: ${stuck[0]?.reason ?? "no block takes it."}`,
      hint: "It is tried again by itself, and its fee is raised up to maxFeePerReply and maxFeePerDay. Raise them if they are too low.",
    },
    replies.failed > 0 && {
      what: `${counted(replies.failed, "reply", "replies")} of “${agent}” will not get to the chain: ${failed[0]?.reason ?? ""}`,
      hint: `See the reason, mend it, then \`charter inbox retry ${agent} ${failed[0]?.message ?? "<id>"}\`. The text is in \`charter inbox replies ${agent}\`.`,
    },
    old !== undefined &&
      !isSilent && {
        what: `What “${agent}” has of ${old.symbol} is stale: it was last read ${timeText(old.readAt)} UTC.`,
        hint: "It is read again by itself when its chain answers.",
      },
  ];
  return found.filter((one) => one !== false);
}

/** The addresses of an agent's chain: does each answer, for this chain, and with the contract? */
export async function checkChainNodes(agent: string, chain: KnownChain): Promise<Finding[]> {
  const { askChain } = await import("../../serve/ask-chain.ts");
  return (await askChain(chain)).map((trouble) => unread(agent, trouble));
}

function unread(agent: string, trouble: string): Finding {
  return {
    what: `The chain of “${agent}” cannot be read: ${trouble}`,
    hint: "It is tried again by itself. Does the node run? Check automaton.chain in charter.config.ts.",
  };
}

/** The key that an agent's replies are signed with: can it be read, is it nobody else's to read, is it that of its address? */
export async function checkChainKey(
  agent: string,
  { address, key, keyFile, sends }: Pick<KnownChain, "address" | "key" | "keyFile" | "sends">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  if (!sends || key === null) return [];
  try {
    const { readChainKey } = await import("../../../channels/chain/chain-key.ts");
    const { loadReplyCodec } = await import("../../../channels/chain/replies/reply-codec.ts");
    const codec = await loadReplyCodec();
    await readChainKey({ agent, address, keyFile, env, addressOf: (secret) => codec.signer(secret).address });
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ what: error.message, hint: error.hint }];
  }
}
