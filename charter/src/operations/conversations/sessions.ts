import { preview } from "../../prompt/character.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import {
  agentScopeFor,
  checkChannel,
  notFound,
  ownScopeFor,
  type Person,
  reachOf,
  sees,
  userNamed,
} from "../caller.ts";
import {
  agent,
  flag,
  list,
  more,
  number,
  object,
  oneOf,
  page,
  scope,
  text,
  time,
  told,
  total,
  whole,
} from "../field.ts";
import { operation } from "../operation.ts";
import { columns, oneLine, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { checkTurnQuery, turnFilter, usage } from "../turns/turn-fields.ts";

const sessionFields = {
  ...told({
    id: text(),
    scope,
    channel: text("The channel its turns come from; null: any.").nullable(),
    because: oneOf(
      ["new", "idle"],
      "Why it was opened although there was one before it: asked for, or the last was idle for too long.",
    ).nullable(),
    startedAt: time(),
    lastAt: time(),
    endedAt: time().nullable(),
    beginsAfter: text("The turn that it continues from another session, where later words were taken back.").optional(),
  }),
  receiver: text("The model it was last sent to."),
  standsInFor: text("The model in whose place that one answers. For operators.").optional(),
  job: flag("A job opened it: without it, one of no user is the operator's own.").optional(),
};

const row = object({
  ...sessionFields,
  turns: whole().told(),
  told: whole("How many replies of schedules were said in it.").told(),
  firstInput: text("What was first said in it, cut where it is long.").told().nullable(),
  failed: whole("How many of its turns failed."),
  cost: number("Of its turns with a price, in dollars; null where none has one. For operators.").nullable().optional(),
  usage: usage.says("Of all its turns, in tokens; null where the provider did not say. For operators.").optional(),
  models: list(text(), "The models its turns were answered by, by name. For operators.").optional(),
});

const listSessions = operation({
  name: "sessions.list",
  says: "List an agent's sessions",
  about:
    "Filters by words, state, event, model and time match a session if one of its turns matches. Cost filters use the sum of all its turns.",
  route: "GET /agents/{agent}/sessions",
  command: "sessions [list]",
  examples: [
    "charter sessions",
    "charter sessions list --agent ada --user bo",
    "charter sessions --channel telegram --open --json",
  ],
  notes: "Go on with one: charter chat --session <id>, or /resume in the chat.",
  who: "person",
  input: {
    ...turnFilter,
    open: flag("Only sessions that can continue.").optional(),
    sort: oneOf(
      ["newest", "oldest", "cost"],
      "Default: the most recently used first. By cost (for operators): the highest first.",
    ).optional(),
    ...page,
  },
  answer: object({
    sessions: list(row).told(),
    more,
    total,
    single: whole(
      "How many sessions of one turn only match besides, as those of schedules: they are not listed.",
    ).told(),
  }).named("SessionList", "In the order asked for."),
  statuses: { 200: "Default: the most recently used first." },
  run: async (context, { agent, user, counterpart, open = false, limit, offset, sort, ...asked }) => {
    const { caller, store } = context;
    const scope = await reachOf(context, { agent, user: userNamed({ user, counterpart }) });
    checkTurnQuery(caller, { ...asked, sort });
    const filter = { ...asked, ...scope, open };
    const [rows, total, single] = await Promise.all([
      store.sessions.list({ ...filter, sort, limit, offset }),
      store.sessions.count(filter),
      store.sessions.countSingle(filter),
    ]);
    const sessions = rows.map(({ cost, usage, models, ...facts }) =>
      caller.kind === "operator" ? { ...facts, cost, usage, models } : facts,
    );
    return { sessions, more: offset + rows.length < total, total, single };
  },
  lines: ({ sessions, single }) => {
    const besides =
      single === 0 ? [] : [hintsHere(`${counted(single, "session")} of one turn only: see charter turns.`)];
    const none = single === 0 ? "There is no session here." : "There is no session of several turns here.";
    if (sessions.length === 0) return [none, ...besides];
    const names = ["session", "agent", "user", "channel", "turns", "last (UTC)", "first words"];
    const cells = sessions.map(({ id, scope, channel, turns, lastAt, endedAt, firstInput }) => {
      const last = `${timeText(lastAt)}${endedAt === null ? "" : ", ended"}`;
      const first = firstInput === null ? "–" : preview(oneLine(firstInput), 50);
      return [id, scope.agent, scope.user ?? "–", channel ?? "any", String(turns), last, first];
    });
    return [...columns(names, cells, process.stdout), ...besides];
  },
});

const openSession = operation({
  name: "sessions.open",
  says: "Open a new session",
  about: "It starts without history. The next turn on that channel that names no session belongs to it.",
  route: "POST /agents/{agent}/sessions",
  who: "person",
  input: {
    agent,
    user: text("The user; only for operators.").example("bo").optional(),
    channel: text("The channel; default: `web`.").optional(),
  },
  example: {},
  answer: object(sessionFields).named("Session", "A conversation."),
  statuses: { 201: "The new session." },
  refuses: [422],
  run: async (context, { agent, user, channel = "web" }) => {
    checkChannel(context.caller, channel);
    const scope = await ownScopeFor(context, agent, user);
    return (await context.host()).newSession({ ...scope, channel });
  },
});

const compactSession = operation({
  name: "sessions.compact",
  says: "Summarise a session's history",
  about: "The model writes a summary, which replaces the history. Recorded as a turn.",
  route: "POST /agents/{agent}/sessions/{id}/compact",
  who: "person",
  input: { agent, id: text("The id of a session.") },
  answer: object(told({ turn: text(), session: text(), before: whole(), after: whole() })).named(
    "CompactResult",
    "How many tokens of history became how many, and the turn on record.",
  ),
  statuses: { 200: "The result." },
  refuses: [409, 422, 502],
  run: async (context, { agent, id }) => {
    const { agent: name } = await agentScopeFor(context, agent);
    const ownSession = await context.store.sessions.find(id).catch(ignoreUnknown);
    if (ownSession?.scope.agent !== name || !sees(context.caller as Person, ownSession.scope))
      throw notFound(`session “${id}”`);
    const { scope, channel, job = false } = ownSession;
    const about = { session: id, ...(channel === null ? {} : { channel }), operator: !job };
    return (await context.host()).compact({ ...about, agent: name, user: scope.user ?? null });
  },
});

function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "unknown-session") throw error;
}

export const operations = [listSessions, openSession, compactSession];
