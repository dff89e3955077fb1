import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool } from "../../../charter/src/agent/tool.ts";
import type { KnownChain } from "../../../charter/src/channels/chain/chain-status.ts";
import type { Model } from "../../../charter/src/delivery/model.ts";
import type { Host } from "../../../charter/src/host/host.ts";
import type { HostOptions } from "../../../charter/src/host/host-options.ts";
import { signInLink } from "../../../charter/src/operations/users/tokens.ts";
import { allRoutes, createApi } from "../../../charter/src/server/app.ts";
import type { DemoFacts } from "../../../charter/src/server/http/this-server.ts";
import { type ListeningServer, listen } from "../../../charter/src/server/listen.ts";
import { loadStudio, studioFolder } from "../../../charter/src/server/studio.ts";
import type { Store } from "../../../charter/src/store/index.ts";
import { hostTools } from "./lived.ts";
import { copyLivedHouse, enterHouse } from "./lived-house.ts";
import { writeManySections } from "./many-sections.ts";

/** A real server on a port of its own, with the built page, a file as its database, and the stand-in for a model. */
export type Stage = {
  readonly url: string;
  readonly store: Store;
  readonly house: Host;
  /** A folder that is gone with the stage. */
  readonly folder: string;
  /** A link that signs the operator, “olga”, in once. */
  readonly link: () => Promise<string>;
  /**
   * The server goes away and comes back on the same port, with the same database, as after a restart. `meanwhile` the
   * store and the house are at work, and nobody is served.
   */
  readonly restart: (meanwhile?: () => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type StageOptions = {
  /** A house that was lived in for five days (`lived.ts`); an empty one otherwise. */
  readonly lived?: boolean;
  readonly port?: number;
  /** There is an agent “many” besides, whose charter is a file and has so many sections. */
  readonly sections?: number;
  /** Answers for every agent from now on, or by its name; `scripted()` of charter/test/agent/model.ts follows a script. */
  readonly model?: Model | ((name: string) => Model);
  /** Models are loaded by their names and keys (there are none); these are the server's own. */
  readonly models?: HostOptions["models"];
  /** What an agent and its users may spend on a day, among others. */
  readonly limits?: HostOptions["limits"];
  /** What the agents are lent; “read_page” (foreign) and “send_mail” (sensitive) where someone has lived. */
  readonly tools?: readonly Tool[];
  /** Where the keys of residents are (`resident.ts`). */
  readonly keys?: HostOptions["keys"];
  /** What the settings say of the agents' chains (`on-chain.ts`). */
  readonly chains?: ReadonlyMap<string, KnownChain>;
  /** Every page says that it is a demo, and what to try. */
  readonly demo?: DemoFacts;
};

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const {
    lived = true,
    port = 0,
    sections,
    tools = lived ? hostTools : [],
    model,
    models,
    limits,
    keys,
    chains,
    demo,
  } = options;
  const folder = mkdtempSync(join(tmpdir(), "charter-studio-"));
  const enter = () =>
    enterHouse(folder, { clock: () => new Date(), tools, keys, models, limits, ...(model ? { model } : {}) });
  const serve = (at: number): Promise<ListeningServer> => {
    const pages = loadStudio(process.env.CHARTER_STUDIO ?? studioFolder());
    const api = createApi({
      host,
      operator: "olga",
      routes: allRoutes,
      pages,
      ...(chains && { chains }),
      ...(demo && { demo }),
    });
    return listen(api, { port: at });
  };
  if (lived) await copyLivedHouse(folder);
  let host = await enter();
  if (sections !== undefined)
    await host.store.agents.add({ name: "many", charter: writeManySections(folder, sections) });
  let server = await serve(port);
  const shut = async () => {
    await server.close(0);
    await host.close(0);
    await host.store.close();
  };
  return {
    folder,
    get url() {
      return server.url;
    },
    get store() {
      return host.store;
    },
    get house() {
      return host;
    },
    link: () => signInLink(host.store, server.url),
    restart: async (meanwhile) => {
      const { port: same } = new URL(server.url);
      await shut();
      host = await enter();
      await meanwhile?.();
      server = await serve(Number(same));
    },
    close: async () => {
      await shut();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
