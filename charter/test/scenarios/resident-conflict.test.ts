import { expect, test } from "vitest";
import type { NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import { EventShelf } from "../relays/event-shelf.ts";
import { newResidentFolder } from "../relays/resident-folder.ts";
import { startStrictRelay } from "../relays/strict-relay.ts";

/** `charter core set` where another writes at the same time, and where no relay takes anything. */

/** A relay's shelf on which something happens when an event is put there by someone from outside. */
class WatchedShelf extends EventShelf {
  arrived: (event: NostrEvent) => boolean = () => true;

  override upsert(event: NostrEvent): { isDuplicate: boolean } {
    return this.arrived(event) ? super.upsert(event) : { isDuplicate: false };
  }
}

async function withResident(
  work: (stage: {
    shelf: WatchedShelf;
    resident: Awaited<ReturnType<typeof newResidentFolder>>;
    core: (...args: readonly string[]) => Promise<{ code: number | null; lines: string[] }>;
  }) => Promise<void>,
): Promise<void> {
  const shelf = new WatchedShelf();
  const relay = await startStrictRelay({ shelf });
  const resident = await newResidentFolder([relay.url]);
  const core = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await resident.run(["core", ...args]);
    const lines = `${stdout}${stderr}`.replaceAll(relay.url, "ws://relay").split("\n").slice(0, -1);
    return { code, lines };
  };
  try {
    await work({ shelf, resident, core });
  } finally {
    resident.remove();
    await relay.stop();
  }
}

test("another's newer event stands: both texts are shown, exit code 1, and both are in the history", () =>
  withResident(async ({ shelf, resident, core }) => {
    let theirs = "";
    let ours = "";
    shelf.arrived = (event) => {
      ours = event.id;
      shelf.arrived = () => true;
      const late = resident.key.makeEvent({ slug: "core", text: "You are Ida.", createdAt: event.created_at + 1 });
      theirs = late.id;
      shelf.events.set("core", late);
      return false;
    };
    const set = await core("set", "You are Ada.");
    expect(set).toEqual({
      code: 1,
      lines: [
        "accepted: revision 1 of “core” (“ada”, for all)",
        "--- core (before)",
        "+++ core (after)",
        "@@ -0,0 +1,1 @@",
        "+You are Ada.",
        `conflict: event ${theirs} was published at the same time, and is current; yours, event ${ours}, is in the history`,
        "--- core (yours)",
        `+++ core (event ${theirs})`,
        "@@ -1,1 +1,1 @@",
        "-You are Ada.",
        "+You are Ida.",
      ],
    });
    const history = JSON.parse((await resident.run(["core", "history", "--json"])).stdout);
    expect(history.amendments.map(({ after, event }: { after: string; event: object }) => [after, event])).toEqual([
      ["You are Ida.", { id: theirs, state: "elsewhere", relay: expect.stringMatching(/^ws:/) }],
      ["You are Ada.", { id: ours, state: "superseded", relay: null }],
    ]);
    const doctor = await resident.run(["doctor"]);
    expect(doctor.stdout).toContain(
      `look  Another's change (event ${theirs}) replaced revision 1 of the core memory of “ada”, since `,
    );
  }));

test("what a relay says it took and does not show waits under its id, until it is there", () =>
  withResident(async ({ shelf, resident, core }) => {
    const sent: string[] = [];
    shelf.arrived = ({ id }) => {
      sent.push(id);
      return false;
    };
    const { code, lines } = await core("set", "You are Ada.");
    expect([code, lines.slice(5)]).toEqual([
      1,
      [
        `not published yet: event ${sent[0]} waits, and is sent again later; to try now: charter core publish`,
        "  not on ws://relay: it took the event, but does not show it",
      ],
    ]);
    expect((await core("publish")).code).toBe(1);
    expect((await core("get")).lines).toEqual([
      "You are Ada.",
      expect.stringMatching(/^present: revision 1, by npub1\w+, not on a relay yet$/),
      "  ws://relay has none",
      `Event ${sent[0]} waits to be published: charter core publish --agent ada`,
    ]);
    const doctor = await resident.run(["doctor"]);
    expect(doctor.stdout).toMatch(
      /look {2}A change of the core memory of “ada” \(event \w+\) waits to be published since/,
    );
    shelf.arrived = ({ id }) => sent.push(id) > 0;
    expect(await core("publish")).toEqual({
      code: 0,
      lines: [`published: event ${sent[0]}, taken by ws://relay`],
    });
    expect(new Set(sent).size).toBe(1);
  }));
