import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createStore } from "../../../src/store/index.ts";
import { bareEnvironment, command } from "../../cli.ts";
import { eventually } from "../../eventually.ts";
import type { Place } from "../../homes.ts";
import { type Provider, startProvider } from "../provider.ts";
import { type Guest, type Servers, ways } from "./shut-out-ways.ts";

/** For each stream, the milliseconds from the moment its reader was shut out elsewhere to its end; and what did not hold. */
export type ShutOut = { readonly endedMs: readonly number[]; readonly faults: readonly string[] };

/** Again and again someone follows a stream at one server and is shut out at another, in each way there is. */
export async function shutOutElsewhere(place: Place, times: number): Promise<ShutOut> {
  const store = await createStore(place.open());
  await store.agents.add({ name: "ada", charter: "assistant" });
  const provider = await startProvider();
  provider.mode("waits");
  const folder = mkdtempSync(join(tmpdir(), "charter-shut-out-"));
  // Each comes back once with a token that is nobody's by then: more often in a minute than is usual from one address.
  writeFileSync(join(folder, "charter.config.ts"), "export default { apiLimits: { failuresPerMinute: 1e6 } };\n");
  const children: ChildProcess[] = [];
  const faults: string[] = [];
  const endedMs: number[] = [];
  try {
    const about = { place, provider, folder, children };
    const [streaming, revoking] = await Promise.all([serve(about), serve(about)]);
    const { secret: operator } = await store.tokens.create({ name: "operator", kind: "operator" });
    const servers: Servers = { store, database: place.url, streaming, revoking, operator };
    for (let round = 0; round < times; round++) {
      const [name, way] = Object.entries(ways)[round % Object.keys(ways).length] as [string, (typeof ways)[string]];
      const user = `user-${round}`;
      const guest = await way(servers, user);
      const asked = provider.asked();
      const streams = await Promise.all(pathsFor(guest).map((path) => open(servers, guest, path, user)));
      // An erased turn that has not asked yet ends by itself.
      await eventually(() => provider.asked() > asked);
      const since = await guest.shutOut();
      for (const { path, ended } of streams) {
        const { at, last } = await ended;
        endedMs.push(Math.max(0, at - since));
        if (!lastWords(name).test(last)) faults.push(`${name}, ${path}: the last word was ${last}`);
        const again = await ask(servers, guest, path, user);
        await again.body?.cancel();
        if (again.status !== 401) faults.push(`${name}, ${path}: came back with ${again.status}`);
      }
      provider.letGo();
      let state: string | undefined;
      await eventually(async () => {
        state = (await store.turns.list({ agent: "ada", user })).at(0)?.state;
        return state !== "running";
      });
      if (state !== (name === "a user is erased" ? "erased" : "answered")) faults.push(`${name}: the turn is ${state}`);
    }
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await provider.down();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { endedMs, faults };
}

/** Of somebody who is erased the turn goes, too, and whichever is noticed first ends the stream. */
const lastWords = (way: string) =>
  way === "a user is erased" ? /"code":"(?:wrong-token|erased)"/ : /"code":"wrong-token"/;

type Serving = {
  readonly place: Place;
  readonly provider: Provider;
  readonly folder: string;
  readonly children: ChildProcess[];
};

/** `charter serve`, as a process of its own. */
async function serve({ place, provider, folder, children }: Serving): Promise<string> {
  const where = ["--host", "127.0.0.1", "--port", "0", "--settings", "charter.config.ts"];
  const args = ["serve", ...where, "--quiet", "--json", "--model", provider.model];
  const child = spawn(process.execPath, [command, ...args, "--database", place.url], {
    cwd: folder,
    env: { ...bareEnvironment(), ...provider.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return JSON.parse(line).url;
}

const turns = "/api/agents/ada/turns";
const pathsFor = ({ kind }: Guest) => (kind === "operator" ? ["/api/events", turns] : [turns]);

function ask({ streaming }: Servers, { headers, kind }: Guest, path: string, user: string): Promise<Response> {
  if (path !== turns) return fetch(`${streaming}${path}`, { headers });
  const body = JSON.stringify({ input: "A story.", ...(kind === "operator" ? { user } : {}) });
  const json = { "content-type": "application/json", accept: "text/event-stream" };
  return fetch(`${streaming}${path}`, { method: "POST", headers: { ...headers, ...json }, body });
}

/** A stream that has begun: something was told. */
async function open(servers: Servers, guest: Guest, path: string, user: string) {
  const answer = await ask(servers, guest, path, user);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const ended = (async () => {
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { at: Date.now(), last: text.slice(-600) };
      text += new TextDecoder().decode(value);
    }
  })();
  return { path, ended };
}
