import type { Database } from "../home/database.ts";
import type { Table } from "../home/table.ts";
import type { FaultList } from "./faults.ts";
import type { HashChainReach } from "./hash-chain-reach.ts";
import type { TextProofs } from "./text-proof.ts";

/** A walk through everything that was kept, at one moment: others may go on writing meanwhile. */
export type Walk = {
  readonly db: Database;
  readonly tables: readonly Table[];
  /** Only this agent's hash chains, and the texts they name. */
  readonly agent: string | undefined;
  readonly faults: FaultList;
  readonly proofs: TextProofs;
  readonly reached: HashChainReach;
  /** Says that so many rows were looked at, and lets others work. */
  readonly tick: (table: WalkedTable, rows: number) => Promise<void>;
  /** Lets others work. */
  readonly breathe: () => Promise<void>;
};

export type WalkedTable = "amendments" | "steps" | "texts";
