import type { Payment } from "../../store/chain/payments.ts";
import { type AskNode, findBlock, refusalOf } from "./node-answer.ts";

/**
 * Those of some payments that nothing takes back: the chain calls a block final that is as far, and has at their place the
 * very block they were seen in. Of a chain that calls no block final, none.
 */
export async function finalPayments(ask: AskNode, payments: readonly Payment[]): Promise<Payment[]> {
  if (payments.length === 0) return [];
  const last = await lastFinal(ask);
  const early = payments.filter(({ block }) => block <= last);
  const hashes = new Map<number, string | undefined>();
  for (const block of new Set(early.map(({ block }) => block))) hashes.set(block, (await findBlock(ask, block))?.hash);
  return early.filter(({ block, hash }) => hashes.get(block) === hash);
}

async function lastFinal(ask: AskNode): Promise<number> {
  try {
    return (await findBlock(ask, "finalized"))?.number ?? -1;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return -1;
  }
}
