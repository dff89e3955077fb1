/** An agent's chain, as its config says, checked: addresses in small letters, amounts in wei. */
export type ChainSettings = {
  readonly rpc: readonly string[];
  readonly id: number;
  readonly contract: `0x${string}`;
  readonly address: `0x${string}`;
  readonly from?: number;
  readonly confirmations: number | "finalized";
  readonly token?: `0x${string}`;
  /** Nothing: replies are sent where there is a key. */
  readonly replies?: "poll" | "send";
  readonly keyFile?: string;
  readonly maxFeePerReply: bigint;
  readonly maxFeePerDay: bigint;
  /** By what payments become cycles; nothing: they become none. */
  readonly earns?: { readonly cyclesPerEther: number; readonly maxCyclesPerDay: number };
};
