import type { Limits } from "../agent/limits.ts";
import type { McpEntry } from "../agent/mcp/mcp-entry.ts";
import type { StandardSchema } from "../agent/standard-schema.ts";
import type { MemoryOptions } from "../agent/tools/memory-options.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { AcpEntry } from "../delivery/acp/entry.ts";
import type { ModelTable } from "../delivery/models/table/model-entry.ts";
import type { HostTools } from "../host/host-options.ts";
import type { KeyConfigs } from "../sources/core-memory/key-source.ts";
import type { Jwt } from "./auth/json-web-token.ts";
import type { Oidc } from "./auth/oidc/oidc.ts";
import type { ApiLimitOptions } from "./http/api-limits.ts";

/** A Telegram bot of one agent, in a `charter.config.ts`. */
export type TelegramConfig = {
  /** Whose bot it is; unless given the only agent, or of several the one whose chats are linked. */
  readonly agent?: string;
  readonly token: string;
  /** Telegram posts updates to `<url>/telegram/<agent>`, or they are fetched (long polling). A secret means it posts. */
  readonly webhook?: boolean;
  /** What Telegram has to say with each update; needed for a webhook. */
  readonly secret?: string;
  /** Another Bot API server. */
  readonly api?: string;
};

/** An agent that lives by itself, in a `charter.config.ts`: it answers its inbox, and takes turns of its own. */
export type AutomatonConfig = {
  readonly agent: string;
  /** Seconds between turns of its own; 300, unless given. */
  readonly every?: number;
  /** Messages of how many senders one turn may have: 1, unless given, at most 5. */
  readonly counterparts?: number;
  /** A chain that messages come from, and replies go to. */
  readonly chain?: ChainConfig;
};

/** The chain of an agent that lives by itself, in a `charter.config.ts`: where its inbox contract is, and what it may pay. */
export type ChainConfig = {
  /** The addresses of nodes (JSON-RPC); where one does not answer, the next is asked. */
  readonly rpc: readonly string[];
  /** The number of the chain, as in 8453 (Base). Nodes of another chain are refused. */
  readonly id: number;
  /** The address of the inbox contract. */
  readonly contract: string;
  /** The agent's own address. */
  readonly address: string;
  /** The first block that is read; the one at the first start, unless given. */
  readonly from?: number;
  /** A block counts when so many are there, itself among them, or when the chain calls it final; 12, unless given. */
  readonly confirmations?: number | "finalized";
  /** The contract of a token (ERC-20) whose balance is read besides ETH. */
  readonly token?: string;
  /** Whether replies are put on the chain or only polled by HTTP; `send` where there is a key, unless given. */
  readonly replies?: "poll" | "send";
  /** The file with the secret key of the address, of mode 0600; without it, the variable CHARTER_CHAIN_KEY is read. */
  readonly keyFile?: string;
  /** The most that one reply may cost, in ETH, as in "0.001" (which it is, unless given). */
  readonly maxFeePerReply?: string;
  /** The most that the replies of one day (UTC) may cost, in ETH; "0.02", unless given. */
  readonly maxFeePerDay?: string;
  /** So many cycles (millionths of a dollar) an ETH becomes that was paid with messages and is final; none, unless given. */
  readonly cyclesPerEther?: number;
  /** The most cycles that payments of one day (UTC) become; 5,000,000, unless given. */
  readonly maxCyclesPerDay?: number;
};

/** How messages reach inboxes besides with a token, in a `charter.config.ts`. */
export type InboxConfig = {
  /** Anyone may post a message that is signed with the key of their address (EIP-712). */
  readonly signed?: boolean;
  /** The chain that signatures name; 8453 (Base), unless given. */
  readonly chain?: number;
};

/** Whether Telegram posts a bot's updates: nobody names a secret for a bot that fetches them. */
export function usesWebhook({ webhook, secret }: TelegramConfig): boolean {
  return webhook ?? secret !== undefined;
}

/** The settings of `charter start`, `serve` and `work`, in a `charter.config.ts`. Every field has a default. */
export type Config = {
  readonly database?: string;
  /** Files and folders that programs write: they may change after the directory was trusted. Written out, as texts. */
  readonly data?: readonly string[];
  readonly host?: string;
  readonly port?: number;
  /** Where others reach this server, when that is not its own host and port: https://charter.example.org */
  readonly url?: string;
  /** The model of agents that name none. Of a list, the first is asked, and the next on an outage. */
  readonly model?: string | readonly string[];
  /** Models of your own, by name: on a server of yours, with a key of their own, or of the AI SDK. */
  readonly models?: ModelTable;
  /** The most tokens that model takes, if you know it better. */
  readonly window?: number;
  /** The time zone of users who have set none. */
  readonly zone?: string;
  /** Who the operator is when they chat. */
  readonly operator?: string;
  readonly lock?: string;
  readonly limits?: Partial<Limits>;
  readonly tools?: HostTools;
  readonly channels?: Channels;
  readonly telegram?: TelegramConfig | readonly TelegramConfig[];
  readonly automaton?: AutomatonConfig | readonly AutomatonConfig[];
  readonly inbox?: InboxConfig;
  /** Where the keys are that residents sign and read their core memory with, by the names their settings give them. */
  readonly keys?: KeyConfigs;
  /** Agents that are reached over ACP, by name: an agent whose model is `acp/<name>` is this program. */
  readonly acp?: Readonly<Record<string, AcpEntry>>;
  /** With what notes are found by their meaning as well; by their words alone, unless given. */
  readonly memory?: MemoryOptions;
  /** MCP servers by name: an agent whose settings say `mcp: ["files"]` has the tools of that server. */
  readonly mcp?: Readonly<Record<string, McpEntry>>;
  /** JSON Web Tokens of users: a shared `secret`, or `jwks`, the address of the keys. */
  readonly jwt?: Jwt;
  /** People sign in at this issuer (OpenID Connect), at the page for users and at the studio. */
  readonly oidc?: Oidc;
  /** What the context of turns must be: a schema of zod, valibot, arktype or the like. */
  readonly context?: StandardSchema;
  /** The context of a turn is stored with it. */
  readonly keepContext?: boolean;
  /** How much callers may ask of the API. */
  readonly apiLimits?: ApiLimitOptions;
  /** Names the server answers to, besides its own and that of `url`. */
  readonly hosts?: readonly string[];
  /** How many proxies of yours are in front of the server and add to X-Forwarded-For; none, unless given. */
  readonly proxies?: number;
  /** Pages of these origins may call the API from a browser. */
  readonly origins?: readonly string[];
  /** Seconds a shutdown waits for turns that run. */
  readonly graceSeconds?: number;
};

/** Returns the config as it is: for a `charter.config.ts` with completion and type checks. */
export function defineConfig(config: Config): Config {
  return config;
}
