import { Relay } from "nostr-tools/relay";
import { readMemory } from "../../charter/src/sources/core-memory/read-memory.ts";
import { newAgent } from "../../charter/test/relays/agent.ts";
import { startSloppyRelay } from "../../charter/test/relays/sloppy-relay.ts";
import type { Report } from "../report.ts";
import { type Contender, inRounds, ratioOf, timeOf } from "../rounds.ts";

const reads = 20;
const text = "I am Ada, and I look after the garden. ".repeat(100);

/** Reading a core memory from a relay that is well, beside one subscription of nostr-tools' to the same relay. */
export async function core(rounds: number): Promise<Report> {
  const relay = await startSloppyRelay();
  try {
    const { key, client } = await newAgent();
    const event = key.makeEvent({ slug: "core", text, createdAt: 1_700_000_000 });
    await relay.put(event);
    const wrong: string[] = [];
    const subscribe = async () => {
      const connection = await Relay.connect(relay.url);
      const ids = await new Promise<string[]>((resolve) => {
        const found: string[] = [];
        const filter = { kinds: [30174], authors: [key.agent], "#d": [key.dTag("core")], "#p": [key.owner] };
        connection.subscribe([filter], {
          onevent: ({ id }) => found.push(id),
          oneose: () => resolve(found),
        });
      });
      connection.close();
      if (ids.join() !== event.id) wrong.push(`nostr-tools found ${ids.join() || "nothing"}`);
    };
    const read = async () => {
      const found = await readMemory({ client, key, relays: [relay.url], slug: "core" });
      if (found.status !== "present" || found.head.text !== text) wrong.push(`Charter found it ${found.status}`);
    };
    const many = (name: string, one: () => Promise<void>): Contender => ({
      name,
      units: reads,
      prepare: () => Array.from({ length: reads }, () => one),
    });
    const times = await inRounds([many("nostr-tools", subscribe), many("charter", read)], rounds);
    return {
      title: `Core  a core memory of ${text.length.toLocaleString("en")} characters, from a relay on this machine`,
      about:
        "nostr-tools = connect, subscribe, verify, until EOSE, close; Charter also decrypts it and asks for the relay list",
      rows: [
        { case: "core", what: "nostr-tools, one subscription", time: timeOf(times, "nostr-tools") },
        {
          case: "core",
          what: "Charter, a healthy read",
          time: timeOf(times, "charter"),
          ratio: { ...ratioOf(times, "charter", "nostr-tools"), of: "nostr-tools" },
          target: 1.5,
        },
      ],
      wrong,
    };
  } finally {
    await relay.stop();
  }
}
