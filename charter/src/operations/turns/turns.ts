import { preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import { agent, more, page, total } from "../common-fields.ts";
import { either, flag, list, object, oneOf, text } from "../field.ts";
import { operation } from "../operation.ts";
import { columns, timeText } from "../print/columns.ts";
import { reachOf, userNamed } from "../scope-for.ts";
import { checkTurnQuery, readTurns, shownTurns, turnFor } from "./read-turns.ts";
import { turn, turnFilter, turnSort, turnState } from "./turn-fields.ts";
import { chatTurn, newTurn, turnOutcome } from "./turn-input.ts";
import { operations as oneTurn } from "./turn-record.ts";

export const takeTurn = operation({
  name: "turns.take",
  says: "Run a turn",
  about:
    "The answer is JSON; or, with `Accept: text/event-stream`, and for an AI SDK chat, a UI message stream. If the connection is lost the turn continues, and its answer is recorded.",
  route: "POST /agents/{agent}/turns",
  who: "person",
  input: {
    agent,
    drafts: oneOf(
      ["stream", "hold"],
      "`hold`: text is streamed only once it is final, for clients that cannot replace a draft.",
    ).optional(),
  },
  body: either(newTurn, chatTurn),
  answer: turnOutcome,
  streams: true,
  statuses: { 200: "The result." },
  refuses: [409, 422, 502],
});

const stopTurn = operation({
  name: "turns.stop",
  says: "Stop a turn",
  about: "Only the process that runs a turn can stop it. A turn that has ended is not changed.",
  route: "POST /turns/{id}/stop",
  who: "person",
  input: { id: text("The id of a turn.") },
  answer: object({ turn: text().told(), state: turnState.told(), stopping: flag().told() }).named(
    "StopResult",
    "`stopping`: it is told to stop. Otherwise it was over, and `state` says how.",
  ),
  statuses: { 200: "The turn had already ended.", 202: "The turn is stopping." },
  refuses: [409],
  run: async (context, { id }) => {
    const { state, runner } = await turnFor(context, { id });
    if (state !== "running") return { turn: id, state, stopping: false };
    if (context.service.stoppable?.stop(id)) return { turn: id, state, stopping: true };
    const where = context.caller.kind === "operator" && runner !== null ? ` (${runner})` : "";
    throw new Problem(
      "turn-elsewhere",
      `The turn “${id}” was not asked for over HTTP here, or is run by another process${where}.`,
      "Ask the server that took it; or wait: a turn has a limit of time.",
    );
  },
  wire: ({ stopping }) => ({ status: stopping ? 202 : 200 }),
});

const listTurns = operation({
  name: "turns.list",
  says: "List turns",
  route: "GET /agents/{agent}/turns",
  command: "turns [list]",
  examples: [
    "charter turns --agent ada",
    "charter turns --agent ada --user bo --limit 10 --json",
    'charter turns --agent ada --words "refund order" --state failed',
  ],
  tool: true,
  who: "person",
  input: {
    ...turnFilter,
    session: text("Only those of this session.").option("id").optional(),
    told: flag("With `session`: also turns of schedules whose replies were said in it.").optional(),
    sort: turnSort,
    ...page,
  },
  answer: object({ turns: list(turn).told(), more, total }).named("TurnList", "In the order asked for."),
  statuses: { 200: "Default: the newest first." },
  run: async (context, { agent, user, counterpart, ...asked }) => {
    const { store, caller } = context;
    const scope = await reachOf(context, { agent, user: userNamed({ user, counterpart }) });
    checkTurnQuery(caller, asked);
    const { rows, ...page } = await readTurns(store, { ...asked, ...scope });
    return { turns: await shownTurns(store, rows, caller), ...page };
  },
  lines: ({ turns }, { agent: _, user: __, counterpart: ___, limit: ____, offset: _____, ...filter }) => {
    if (turns.length === 0) return [Object.keys(filter).length > 0 ? "No turns match." : "There are no turns yet."];
    const names = ["turn", "time (UTC)", "agent", "user", "channel", "state", "steps", "asked → answered"];
    const cells = turns.map(({ id, scope, channel, state, startedAt, steps, input, reply }) => {
      const said = state === "erased" ? "" : `${preview(input, 40)} → ${reply === null ? "–" : preview(reply, 40)}`;
      const who = [scope.agent, scope.user ?? "–", channel ?? "–"];
      return [id, timeText(startedAt), ...who, state, String(steps), said];
    });
    return columns(names, cells, process.stdout);
  },
});

export const operations = [takeTurn, stopTurn, listTurns, ...oneTurn];
