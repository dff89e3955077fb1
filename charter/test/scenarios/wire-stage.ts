import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { assistant, exampleSoul } from "../../src/charters/index.ts";
import type { Loopback, Told } from "../agent/extensions/loopback-agent.ts";

/** Who speaks with a provider on the loopback, and how the two are held against the store. */

export const charter = assistant({ soul: exampleSoul, identity: '{"name":"Eva","description":"a librarian"}' });
export const bo = { user: "bo", channel: "web" };

/** A tool that takes a minute, and remembers how often it ran. */
export function lookUp(wait: (seconds: number) => void) {
  const ran: string[] = [];
  const tool = defineTool({
    name: "look_up",
    summary: "Look something up",
    input: z.object({ word: z.string() }),
    trusted: true,
    harmless: true,
    run: ({ word }, { call }) => {
      ran.push(call);
      wait(60);
      return `“${word}”: three meanings,\nand “quotes” \\ too.`;
    },
  });
  return { tool, ran };
}

export function wireOf({ kind, model, store, recorder }: Loopback) {
  return { kind, receiver: model.receiver, store, requests: recorder.requests };
}

export function drafts({ events }: Told): string[] {
  return events.flatMap((event) => (event.kind === "draft" ? [event.text] : []));
}
