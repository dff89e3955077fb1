import { createRoute, z } from "@hono/zod-openapi";
import type { Routes } from "../api.ts";
import { agentPath, sectionPath } from "../schemas/name.ts";
import { problem, refusedProposal, staleProposal } from "../schemas/problem.ts";
import { idempotencyKey, newProposal, proposalOutcome, revertRequest } from "../schemas/proposal.ts";
import { body, json, problems } from "../schemas/response.ts";
import { proposeFor } from "./propose.ts";

const tags = ["sections"];

const responses = {
  200: json(
    proposalOutcome,
    "It was only checked (`dryRun`, `quote`), or the text is the current one already: nothing is stored.",
  ),
  201: json(proposalOutcome, "Accepted: used from the next prompt on."),
  202: json(proposalOutcome, "It waits for approval: `held` is its id."),
  ...problems(404, 410, 413, 415),
  409: json(
    z.union([staleProposal, problem]),
    "The section has changed since it was read, or the key was used for another proposal.",
  ),
  422: json(refusedProposal, "Refused, with every reason; nothing changed."),
};

export const proposalRoutes: Routes = (api, serving) => {
  const proposing = createRoute({
    method: "post",
    path: "/agents/{agent}/proposals",
    tags,
    summary: "Propose a change to a section",
    description:
      "The only way to change text. Every guard checks the change, and all refusals are answered. An operator proposes as " +
      "operator, a user as user and only for the sections that each user has their own copy of.",
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
    summary: "Go back to an earlier revision of a section",
    description: "An amendment like any other: the history is kept.",
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
