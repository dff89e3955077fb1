import { createRoute, z } from "@hono/zod-openapi";
import { checkControlTokens } from "../../prompt/control-token.ts";
import { readPage } from "../../store/home/page.ts";
import type { FoundNotes } from "../../store/memory/memory.ts";
import type { Note } from "../../store/memory/note.ts";
import type { Routes } from "../api.ts";
import { checkOperator } from "../http/caller.ts";
import { agentPath, idPath, user } from "../schemas/name.ts";
import { forgetResult, newNote, note, noteChange, noteList, vouching, vouchResult } from "../schemas/note.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import { actingScopeFor, agentScopeFor, defined } from "./scope-for.ts";

const tags = ["memory"];
const path = "/agents/{agent}/memory";

const query = z.strictObject({
  query: z.string().optional().openapi({
    description: 'Words to search for: "quoted words" stay together, -word excludes. The first 64 count.',
    example: "sister",
  }),
  note: z.string().optional().openapi({ description: "Only the note of this id, or else of this key." }),
  user,
  ...page,
});

export const memoryRoutes: Routes = (api, serving) => {
  const { memory } = serving.host.store;

  const listing = createRoute({
    method: "get",
    path,
    tags,
    summary: "List or search an agent's notes",
    request: { params: z.object(agentPath), query },
    responses: { 200: json(noteList, "Newest first; best first in a search."), ...problems(404) },
  });
  api.openapi(listing, async (context) => {
    const { query: text = "", note: wanted, user: named, ...asked } = context.req.valid("query");
    const scope = await agentScopeFor(serving, context.get("caller"), context.req.valid("param").agent, named);
    if (wanted !== undefined) {
      const found = (await memory.find(scope, { id: wanted })) ?? (await memory.find(scope, { key: wanted }));
      return context.json({ notes: found ? [found] : [], more: false }, 200);
    }
    let by: FoundNotes["by"] | undefined;
    const { rows, more } = await readPage(async (one): Promise<readonly Note[]> => {
      if (text === "") return memory.list(scope, one);
      const found = await memory.search(scope, text, one);
      by ??= found.by;
      return found.notes;
    }, asked);
    return context.json({ notes: rows, ...(by === undefined ? {} : { by }), more }, 200);
  });

  const adding = createRoute({
    method: "post",
    path,
    tags,
    summary: "Add a note",
    request: { params: z.object(agentPath), body: body(newNote) },
    responses: { 201: json(note, "The note."), ...problems(404, 413, 415) },
  });
  api.openapi(adding, async (context) => {
    const { user: named, text, key } = context.req.valid("json");
    const caller = context.get("caller");
    const scope = await actingScopeFor(serving, caller, context.req.valid("param").agent, named);
    if (caller.kind !== "operator") checkControlTokens("The note", text);
    return context.json(await memory.save(scope, { text, ...defined({ key }) }), 201);
  });

  const vouchingRoute = createRoute({
    method: "post",
    path: `${path}/vouch`,
    tags,
    summary: "Vouch for imported notes",
    description:
      "Notes that were imported are foreign. With this they are own words, and an event says so; with `undo` they are foreign again.",
    request: { params: z.object(agentPath), body: body(vouching) },
    responses: { 200: json(vouchResult, "The outcome."), ...problems(404, 413, 415) },
  });
  api.openapi(vouchingRoute, async (context) => {
    const caller = context.get("caller");
    checkOperator(caller, "vouching for notes");
    const { user: named, undo } = context.req.valid("json");
    const scope = await agentScopeFor(serving, caller, context.req.valid("param").agent, named);
    const about = { ...scope, by: "operator" };
    return context.json(undo ? { ...(await memory.disown(about)), flagged: [] } : await memory.vouch(about), 200);
  });

  const changing = createRoute({
    method: "patch",
    path: `${path}/{id}`,
    tags,
    summary: "Change a note",
    description: "Replaces the note's text. It keeps its id and key, and becomes the newest.",
    request: { params: z.object({ ...agentPath, ...idPath }), body: body(noteChange) },
    responses: { 200: json(note, "The changed note."), ...problems(404, 413, 415) },
  });
  api.openapi(changing, async (context) => {
    const { agent, id } = context.req.valid("param");
    const { user: named, text } = context.req.valid("json");
    const caller = context.get("caller");
    const scope = await actingScopeFor(serving, caller, agent, named);
    if (caller.kind !== "operator") checkControlTokens("The note", text);
    return context.json(await memory.update(scope, id, { text }), 200);
  });

  const forgetting = createRoute({
    method: "delete",
    path: `${path}/{id}`,
    tags,
    summary: "Delete a note",
    request: { params: z.object({ ...agentPath, ...idPath }), query: z.strictObject({ user }) },
    responses: { 200: json(forgetResult, "The note was deleted."), ...problems(404) },
  });
  api.openapi(forgetting, async (context) => {
    const { agent, id } = context.req.valid("param");
    const scope = await agentScopeFor(serving, context.get("caller"), agent, context.req.valid("query").user);
    await memory.forget(scope, id);
    return context.json({ forgotten: id }, 200);
  });
};
