import { createRoute, z } from "@hono/zod-openapi";
import { usualChannels } from "../../charters/assistant/assistant.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { charterData } from "../../prompt/charter-data.ts";
import type { Routes } from "../http/api.ts";
import { checkOperator } from "../http/caller.ts";
import { json, problems } from "../schemas/answer.ts";
import { gathered } from "../schemas/gathered.ts";
import { agentPath } from "../schemas/name.ts";
import { looking, lookingOf } from "./looking.ts";

export const gatheredRoutes: Routes = (api, { house }) => {
  const channels = [...new Set([...Object.keys(usualChannels), ...house.channels])];

  const gathering = createRoute({
    method: "get",
    path: "/agents/{agent}/gathered",
    tags: ["agents"],
    summary: "What the next prompt would be made of",
    description:
      "The charter and what was read for it, for whoever assembles the prompt themselves: `assemble` of the package `charter` makes of it what `/prompt` answers, in any edition and any room.",
    request: { params: z.object(agentPath), query: z.strictObject(looking) },
    responses: { 200: json(gathered, "The charter and the readings."), ...problems(404, 422) },
  });
  api.openapi(gathering, async (context) => {
    checkOperator(context.get("caller"), "seeing prompts");
    const about = lookingOf(context.req.valid("param").agent, context.req.valid("query"));
    const { given, readings, edition, receiver } = await house.gather(about);
    const { agent, user = null, channel = null } = about;
    return context.json(
      {
        ...{ agent, user, channel, at: given.turn.now, charter: charterData(given.charter), readings },
        ...{ notices: given.notices, edition, receiver: receiverFacts(receiver), channels },
      },
      200,
    );
  });
};

function receiverFacts({ name, slots, window, tokenizer, cache, price }: Receiver) {
  return { name, slots, window, tokenizer, cacheMin: cache.kind === "none" ? null : cache.min, price };
}
