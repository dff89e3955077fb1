import { type ContextServer, startContextServer } from "../../delivery/context-servers.ts";
import { createMind } from "./mind.ts";

/** What every model of the day takes, as its server counts. */
export const window = 8000;

/** The agents of the day, each with a model of another kind. */
export const agents = {
  ada: { provider: "anthropic" },
  opa: { provider: "openai" },
  oli: { provider: "ollama" },
  vic: { provider: "vllm", withoutUsage: true, silent: true, slowMs: 20 },
} as const;

export type AgentName = keyof typeof agents;

export type Servers = {
  readonly of: Readonly<Record<AgentName, ContextServer>>;
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

export async function startServers(): Promise<Servers> {
  const started = await Promise.all(
    Object.entries(agents).map(async ([name, about]) => {
      const think = createMind();
      const server = await startContextServer({ ...about, window, say: ({ recorded }) => think(recorded.body) });
      return [name, server] as const;
    }),
  );
  const of = Object.fromEntries(started) as Record<AgentName, ContextServer>;
  return {
    of,
    env: Object.assign({}, ...Object.values(of).map(({ env }) => env)),
    close: async () => void (await Promise.all(Object.values(of).map((one) => one.close()))),
  };
}

/** The requests for an answer that a server got, in order: not those that only asked about its model. */
export function asked({ requests }: ContextServer): readonly { readonly body: string }[] {
  return requests.filter(
    ({ method, path }) => method === "POST" && /(?:completions|responses|messages|Content)/.test(path),
  );
}
