import { accountCount, mnemonic } from "./accounts.ts";
import { installChain } from "./install.ts";

/** A chain in this process, which is gone with it. */
export type ChainNode = { readonly url: string; readonly close: () => void };
export type ServeChainOptions = {
  /** 0: any that is free. */
  readonly port?: number;
  /** A block this often, and one for each transaction; otherwise only the latter. */
  readonly blockMs?: number;
  readonly say?: (words: string) => void;
};

export const chainId = 31337;

type Server = {
  listen(): Promise<{ readonly address: string; readonly port: number }>;
  close(): Promise<void>;
};
type Hardhat = {
  createHardhatRuntimeEnvironment(
    config: object,
    options: object,
    root: string,
  ): Promise<{ network: { createServer(network: string, hostname: string, port: number): Promise<Server> } }>;
};

/** Serves Ethereum's JSON-RPC on 127.0.0.1 and nowhere else. It loads no configuration, compiles and tells nobody. */
export async function serveChain({ port = 0, blockMs, say }: ServeChainOptions): Promise<ChainNode> {
  await installChain(say);
  process.env.HARDHAT_DISABLE_TELEMETRY = "true";
  const name = "hardhat/hre";
  const { createHardhatRuntimeEnvironment } = (await import(name)) as Hardhat;
  const network = {
    type: "edr-simulated",
    chainId,
    accounts: { mnemonic, count: accountCount, accountsBalance: "10000000000000000000000" },
    mining: { auto: true, interval: blockMs ?? 0 },
  };
  const hardhat = await createHardhatRuntimeEnvironment({ networks: { local: network } }, {}, import.meta.dirname);
  const server = await hardhat.network.createServer("local", "127.0.0.1", port);
  const { port: found } = await listen(server);
  return { url: `http://127.0.0.1:${found}`, close: () => void server.close() };
}

/** Its server does not pass on that a port is taken; Node says so where nobody listens. */
async function listen(server: Server): Promise<{ readonly port: number }> {
  let refuse = (_: Error) => {};
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  process.on("uncaughtException", refuse);
  try {
    return await Promise.race([server.listen(), refused]);
  } finally {
    process.off("uncaughtException", refuse);
  }
}

/** A process for tests: it says its address in one line, and ends when its standard input does. */
if (import.meta.main) {
  const { url } = await serveChain({ say: (words) => process.stderr.write(words), port: Number(process.argv[2] ?? 0) });
  process.stdin.on("close", () => process.exit(0)).resume();
  process.stdout.write(`${url}\n`);
}
