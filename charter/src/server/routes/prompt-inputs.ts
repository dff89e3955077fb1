import { createRoute, z } from "@hono/zod-openapi";
import { usualChannels } from "../../charters/assistant/assistant.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { charterData } from "../../prompt/charter-data.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath } from "../schemas/name.ts";
import { promptInputs } from "../schemas/prompt-inputs.ts";
import { json, problems } from "../schemas/response.ts";
import { snapshotQuery, snapshotQueryOf } from "./snapshot-query.ts";

export const promptInputRoutes: Routes = (api, { host }) => {
  const channels = [...new Set([...Object.keys(usualChannels), ...host.channels])];

  const gathering = createRoute({
    method: "get",
    path: "/agents/{agent}/prompt-inputs",
    tags: ["agents"],
    summary: "Get the inputs of the next prompt",
    description:
      "The charter and what was read for it, to assemble the prompt elsewhere: `assemble` of the package `charter` makes the same prompt as `/prompt`, in any edition and for any limit.",
    request: { params: z.object(agentPath), query: z.strictObject(snapshotQuery) },
    responses: { 200: json(promptInputs, "The charter and the readings."), ...problems(404, 422) },
  });
  api.openapi(gathering, async (context) => {
    checkOperator(context.get("caller"), "seeing prompts");
    const about = snapshotQueryOf(context.req.valid("param").agent, context.req.valid("query"));
    const { declaredTurn, readings, edition, receiver, tokenizer, toolTokens } = await host.gather(about);
    const { agent, user = null, channel = null } = about;
    return context.json(
      {
        ...{ agent, user, channel, at: declaredTurn.turn.now, charter: charterData(declaredTurn.charter), readings },
        ...{
          notices: declaredTurn.notices,
          edition,
          receiver: receiverFacts(receiver, tokenizer),
          channels,
          toolTokens,
        },
      },
      200,
    );
  });
};

/** With the tokenizer that counts here: a page that counts with the same one finds the same numbers. */
function receiverFacts({ name, slots, window, cache, price }: Receiver, { name: counts, exact }: Tokenizer) {
  const tokenizer = { name: counts, exact };
  return { name, slots, window, tokenizer, cacheMin: cache.kind === "none" ? null : cache.min, price };
}
