import { type Person, selfFor } from "../../operations/caller.ts";
import { agentScopeFor } from "../../operations/scope-for.ts";
import type { RouteHandler } from "../operation-routes.ts";

/** The bytes of what came with a turn. */
export const answerAttachment: RouteHandler = async (context, { host, operator }, input) => {
  const caller = context.get("caller") as Person;
  const { agent, digest, user = selfFor(caller, operator).user } = input as AttachmentInput;
  const scope = await agentScopeFor({ store: host.store, caller }, agent, user);
  const { data, mediaType } = await host.store.attachments.get(scope, digest);
  const isPicture = mediaType.startsWith("image/");
  return context.body(new Uint8Array(data), 200, {
    // Whatever a file says it is, nothing in it is run: text is plain, and only pictures are shown.
    "content-type": isPicture || mediaType === "application/pdf" ? mediaType : "text/plain; charset=utf-8",
    "content-disposition": isPicture ? "inline" : "attachment",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "private, max-age=3600, immutable",
  });
};

type AttachmentInput = { readonly agent: string; readonly digest: string; readonly user?: string };
