import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bareEnvironment, command } from "../cli.ts";

/** `charter start --demo` as a process of its own. */
export type StartedDemo = {
  readonly link: string;
  readonly url: string;
  readonly database: string;
  readonly agents: readonly string[];
  readonly model: string;
  readonly telegram: object;
  readonly demo: { readonly made: string; readonly tries: readonly { agent: string; say: string; result: string }[] };
  /** Ends it as Ctrl-C does, and gives the code it ended with. */
  readonly stop: () => Promise<number>;
};

export type StartDemoOptions = {
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export async function startDemo({ cwd, args = [], env = {} }: StartDemoOptions): Promise<StartedDemo> {
  const child = spawn(process.execPath, [command, "start", "--demo", "--no-open", "--port", "0", "--json", ...args], {
    ...{ cwd, env: { ...bareEnvironment(), ...env } },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit") as Promise<[number]>;
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    ended.then(([code]) => Promise.reject(new Error(`The demo ended with ${code} before it was there.`))),
  ])) as [string];
  return {
    ...(JSON.parse(line) as Omit<StartedDemo, "stop">),
    stop: async () => {
      child.kill("SIGINT");
      const [code] = await ended;
      return code;
    },
  };
}

/** Signs the operator in, and gives a way to ask the API as the studio does. */
export async function asOperator({ link, url }: Pick<StartedDemo, "link" | "url">) {
  const own = { "x-charter-csrf": "1", origin: url, "content-type": "application/json" };
  const code = new URL(link).hash.slice(1);
  const entered = await fetch(`${url}/sign-in`, { method: "POST", headers: own, body: JSON.stringify({ code }) });
  const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const headers = { ...own, cookie };
  return async (method: string, path: string, body?: unknown): Promise<{ status: number; answer: unknown }> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answered = await fetch(`${url}/api${path}`, { method, headers, ...sent });
    return { status: answered.status, answer: await answered.json().catch(() => undefined) };
  };
}
