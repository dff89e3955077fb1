import { expect, test } from "vitest";
import { markAbandonedTurns } from "../../../src/server/open.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { eventually } from "../../eventually.ts";
import { startTelegram } from "../../telegram/fake.ts";
import { answeredTurns, isOpen } from "../aftermath.ts";
import { answering, linkChat } from "../busy.ts";
import { movedClock } from "../clock.ts";
import { startLoad } from "../load.ts";
import { openService } from "../opened.ts";
import { newSmallDisk } from "./full-disk.ts";

const disk = newSmallDisk(8);

test.skipIf(!disk)(
  "a disk that is full under load: who writes is told, who reads is answered, nothing is half done, and there is room again",
  async () => {
    const place = disk as NonNullable<typeof disk>;
    const clock = movedClock();
    const telegram = await startTelegram({ clock });
    const config = { limits: { turnSeconds: 30 } };
    const service = await openService(place, { model: answering, telegram, clock, config });
    try {
      const { store, as, token } = service;
      await linkChat(store, telegram, { user: "bo", chat: 7 });
      const people = await Promise.all(["bo", "cy", "di"].map((user) => token({ kind: "user", user })));
      const [bo] = people.map(as) as [ReturnType<typeof as>];
      const load = startLoad(people.map(as), "ada");
      await load.until(200, 9);
      place.fill();
      await load.until(507, 9);
      telegram.says(7, "While it was full.");
      expect((await bo("GET /api/agents/ada/turns")).status).toBe(200);
      expect((await bo("GET /api/agents/ada/sections")).status).toBe(200);
      const proposal = {
        section: "instructions",
        operation: { kind: "append", content: "- Be brief." },
        reason: "x".repeat(9000),
      };
      expect((await bo("POST /api/agents/ada/proposals", proposal)).body.error.code).toBe("disk-full");
      expect((await bo("GET /api/agents/ada/sections/instructions/history")).body.amendments).toEqual([]);
      const ready = () => service.as(undefined)("GET /health/ready");
      await eventually(async () => (await ready()).status === 503);
      expect((await ready()).body).toEqual({
        ok: false,
        code: "disk-full",
        message: "There is no room left on the disk of the database.",
      });
      place.free();
      await eventually(async () => (await ready()).status === 200);
      await load.until(200, 9);
      expect((await bo("POST /api/agents/ada/proposals", proposal)).status).toBe(201);
      await load.stop();
      clock.hurry(20);
      await telegram.until(() => telegram.textsTo(7).length === 1);
      const stopMarking = await markAbandonedTurns(store, 200);
      await eventually(async () => !(await isOpen(store)));
      await stopMarking();

      expect([load.faults, telegram.textsTo(7)]).toEqual([[], ["Re: While it was full."]]);
      expect(new Set(load.came.map(({ status, code }) => `${status} ${code}`))).toEqual(
        new Set(["200 ", "507 disk-full"]),
      );
      const turns = await answeredTurns(store);
      const acknowledged = load.came.filter(({ status }) => status === 200);
      expect(acknowledged.filter(({ input, reply }) => turns.get(input)?.join() !== reply)).toEqual([]);
      expect((await verifyStore(store.home)).faults).toEqual([]);
    } finally {
      await service.close();
      await telegram.close();
      await place.remove();
    }
  },
);
