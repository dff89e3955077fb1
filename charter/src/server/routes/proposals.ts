import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { agentPath, sectionPath } from "../schemas/name.ts";
import { problem, refusedProposal, staleProposal } from "../schemas/problem.ts";
import { idempotencyKey, newProposal, proposalOutcome, revertRequest } from "../schemas/proposal.ts";
import { body, json, problems } from "../schemas/response.ts";
import { proposeFor } from "./propose.ts";

const tags = ["sections"];

const responses = {
  200: json(proposalOutcome, "It was only judged (`dryRun`, `quote`), or every word stands already: nothing is kept."),
  201: json(proposalOutcome, "It stands, from the next prompt on."),
  202: json(proposalOutcome, "A person has to approve it first: see `held`."),
  ...problems(404, 410, 413, 415),
  409: json(
    z.union([staleProposal, problem]),
    "The section has changed since it was read; or the key was used for something else.",
  ),
  422: json(refusedProposal, "Nothing changed, and every reason is named."),
};

export const proposalRoutes: Routes = (api, serving) => {
  const proposing = createRoute({
    method: "post",
    path: "/agents/{agent}/proposals",
    tags,
    summary: "Propose a change of one section",
    description:
      "The one way words change. Every guard speaks, and all objections come at once. An operator proposes with the " +
      "operator's hand, a user with their own, and only for the sections that are each user's own.",
    request: { params: z.object(agentPath), headers: idempotencyKey, body: body(newProposal) },
    responses,
  });
  api.openapi(proposing, async (context) => {
    const key = context.req.valid("header")["idempotency-key"];
    const wish = { ...context.req.valid("json"), ...context.req.valid("param"), key };
    const { status, answer } = await proposeFor(serving, context.get("caller"), wish);
    return context.json(answer, status) as never;
  });

  const going = createRoute({
    method: "post",
    path: "/agents/{agent}/sections/{section}/revert",
    tags,
    summary: "Go back to an earlier revision's words",
    description: "An amendment like any other: nothing of what came between is lost.",
    request: { params: z.object(sectionPath), headers: idempotencyKey, body: body(revertRequest) },
    responses,
  });
  api.openapi(going, async (context) => {
    const { to, ...wish } = context.req.valid("json");
    const key = context.req.valid("header")["idempotency-key"];
    const asked = { ...context.req.valid("param"), ...wish, key, operation: { kind: "revert" as const, to } };
    const { status, answer } = await proposeFor(serving, context.get("caller"), asked);
    return context.json(answer, status) as never;
  });
};
