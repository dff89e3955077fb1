/** A chain that runs elsewhere on this machine, with what only a chain for trying things out can do. */
export type LocalChain = {
  readonly url: string;
  readonly request: <Answer = unknown>(method: string, ...params: readonly unknown[]) => Promise<Answer>;
  readonly accounts: () => Promise<Hex[]>;
  readonly balance: (address: Hex) => Promise<bigint>;
  readonly block: () => Promise<number>;
  readonly mine: (count?: number) => Promise<void>;
  /** Off: transactions wait until `mine`. */
  readonly automine: (on: boolean) => Promise<void>;
  readonly snapshot: () => Promise<string>;
  /** Back to the snapshot, which is used up. Blocks that are mined from here on have hashes that were never there. */
  readonly revert: (snapshot: string) => Promise<void>;
};
export type Hex = `0x${string}`;

/** What the chain answered instead of a result; `data` is what a contract said when it refused. */
export type ChainRefusal = Error & { readonly data?: Hex };

/**
 * A connection for each question: one that is kept is closed by the chain after five seconds, unnoticed by a process that
 * was busy meanwhile (compiling, say), and the next question would be sent into it.
 */
export const ownConnection = { "content-type": "application/json", connection: "close" };

export function connectChain(url: string): LocalChain {
  let count = 0;
  const request = async <Answer>(method: string, ...params: readonly unknown[]): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++count, method, params });
    const answer = await fetch(url, { method: "POST", headers: ownConnection, body });
    const { result, error } = (await answer.json()) as Answered<Answer>;
    if (error) throw Object.assign(new Error(error.message), { data: dataOf(error) });
    return result as Answer;
  };
  return {
    url,
    request,
    accounts: () => request<Hex[]>("eth_accounts"),
    balance: async (address) => BigInt(await request<Hex>("eth_getBalance", address, "latest")),
    block: async () => Number(await request<Hex>("eth_blockNumber")),
    mine: async (blocks = 1) => void (await request("hardhat_mine", `0x${blocks.toString(16)}`)),
    automine: async (on) => void (await request("evm_setAutomine", on)),
    snapshot: () => request<string>("evm_snapshot"),
    revert: async (snapshot) => {
      if (!(await request<boolean>("evm_revert", snapshot))) throw new Error(`There is no snapshot ${snapshot}.`);
      const miner = crypto.getRandomValues(Buffer.alloc(20)).toString("hex");
      await request("hardhat_setCoinbase", `0x${miner}`);
    },
  };
}

type Answered<Answer> = {
  readonly result?: Answer;
  readonly error?: { readonly message: string; readonly data?: Hex | { readonly data?: Hex } };
};

function dataOf({ data }: NonNullable<Answered<unknown>["error"]>): Hex | undefined {
  return typeof data === "object" ? data.data : data;
}
