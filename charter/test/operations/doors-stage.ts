import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { localZone } from "../../src/charters/clock.ts";
import { userAtTerminal } from "../../src/cli/shared/store.ts";
import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import { type App, allRoutes, createApi } from "../../src/server/app.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { copyOf, newFile, type Place } from "../homes.ts";
import { type Filled, fill, service } from "./filled-state.ts";

/** One copy of the filled state, with a host and a server over it. */
export type Copy = { readonly store: Store; readonly host: Host; readonly app: App; readonly database: string };

export let filled: Filled;

/** Who the operator is, at every door. */
export const operator = userAtTerminal();
/** What the server knows of itself, which the library is told too. */
export const everyMs: ReadonlyMap<string, number> = new Map([["sol", 3_600_000]]);

let original: Place;
let current: { readonly copy: Copy; readonly close: () => Promise<void> } | undefined;

/** The clock stands: first when the state is made, later when it is asked about. Chance is the same each time. */
const [madeAt, askedAt] = [Date.UTC(2026, 1, 18, 12), Date.UTC(2026, 1, 18, 13)];

/** Fills a database once, for all tests of a file; commands run in an empty folder. */
export function stageDoors(): void {
  const folder = mkdtempSync(join(tmpdir(), "charter-doors-"));
  const home = process.cwd();
  beforeAll(async () => {
    process.chdir(folder);
    vi.stubEnv("HOME", folder);
    vi.useFakeTimers({ toFake: ["Date"], now: madeAt });
    vi.spyOn(process.getBuiltinModule("node:crypto"), "randomFillSync").mockImplementation(chance as never);
    original = await newFile();
    const { copy, close } = await open(original);
    filled = await fill(copy.store, copy.host, copy.app.fetch);
    await close();
    vi.setSystemTime(askedAt);
  });
  afterAll(async () => {
    await dropCopy();
    await original.remove();
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  });
}

let state = 1;

function chance(bytes: Uint8Array): Uint8Array {
  return bytes.map((_, at, all) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    all[at] = state >>> 16;
    return all[at] as number;
  });
}

/** The state as it was filled: the copy that is open, unless something has changed it. */
export async function copyNow(): Promise<Copy> {
  if (!current) {
    const place = await copyOf(original);
    const { copy, close } = await open(place);
    current = { copy, close: () => close().then(place.remove) };
  }
  state = 2;
  return current.copy;
}

/** Whoever asks next has a copy of their own. */
export async function dropCopy(): Promise<void> {
  await current?.close();
  current = undefined;
}

async function open(place: Place): Promise<{ readonly copy: Copy; readonly close: () => Promise<void> }> {
  const store = await createStore(place.open());
  const host = createHost({ store, env: {}, zone: localZone() });
  const app = createApi({
    ...{ host, operator, routes: allRoutes, everyMs },
    limits: { requestsPerMinute: 600_000, failuresPerMinute: 600_000 },
    signed: { service: () => service, chain: 8453 },
  });
  const close = async () => {
    app.close();
    await host.close(0);
    await store.close();
  };
  return { copy: { store, host, app, database: place.url }, close };
}
