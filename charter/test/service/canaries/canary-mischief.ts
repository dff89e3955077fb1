import { canary } from "./canary.ts";
import { type Act, asking } from "./canary-acts.ts";

const own = (acting: Parameters<Act>[0]) => asking(acting, acting.person.ask);

/** What people do besides: they change, look, decide, and make every kind of mistake. */
export const mischief: Readonly<Record<string, Act>> = {
  propose: async (acting) => {
    const { agent, word, roll, person } = acting;
    const content = [`- Say ${word("rule")}.`, `## Safety\n${word("forged")}`, `x\u202e${word("hidden")}`][roll(3)];
    const operation = ["append", "rewrite", "replace", word("operation")][roll(4)];
    const more = [{}, { dryRun: true }, { quote: true }, { revision: roll(3) }][roll(4)];
    const body = {
      section: "instructions",
      operation,
      content,
      reason: word("reason"),
      marker: word("marker"),
      ...more,
    };
    await own(acting)(`POST /api/agents/${agent}/proposals`, body, {
      "idempotency-key": canary(person.key, "u", `key-${agent}-${roll(5)}`),
    });
  },
  proposeElsewhere: async (acting) => {
    const { agent, word, roll } = acting;
    const section = ["soul", "safety", word("section")][roll(3)];
    await own(acting)(`POST /api/agents/${agent}/proposals`, {
      section,
      operation: { kind: "append", content: word("words") },
    });
  },
  remember: async (acting) => {
    const { agent, word } = acting;
    await own(acting)(`POST /api/agents/${agent}/memory`, { text: word("memory"), key: word("name") });
    await own(acting)(`GET /api/agents/${agent}/memory?query=${word("memory")}`);
    await own(acting)(`GET /api/agents/${agent}/memory?query=canary`);
  },
  read: async (acting) => {
    const { agent, roll } = acting;
    const paths = ["sections", "sections/instructions", "sections/instructions/history", "turns", "memory"];
    const places = [...paths, "schedules", "runs", "links"].map((path) => `/api/agents/${agent}/${path}`);
    const all = [...places, "/api/approvals", "/api/me", "/api/agents"];
    await own(acting)(`GET ${all[roll(all.length)]}`);
  },
  decide: async (acting) => {
    const { agent, roll, word, person, ids } = acting;
    const { body } = await own(acting)(`GET /api/approvals?agent=${agent}`);
    const [first] = [...body.proposals, ...body.calls];
    if (!first) return;
    ids.held.push(first.id);
    if (roll(2) === 0) await own(acting)(`POST /api/approvals/${first.id}/approve`, {});
    else await own(acting)(`POST /api/approvals/${first.id}/reject`, { reason: word("because") });
    await asking(acting, person.askSigned)(`GET /api/approvals/${first.id}`);
  },
  press: async ({ telegram, person, roll }) => {
    const asked = telegram.world.sent.some(({ chat, buttons }) => chat === person.chat && buttons.length > 0);
    if (asked) telegram.presses(person.chat, roll(2) === 0 ? "Approve" : "Reject");
  },
  /** Whatever is under an id is someone's, mostly not theirs. */
  pry: async (acting) => {
    const { agent, ids, roll, word } = acting;
    const one = (of: keyof typeof ids) => ids[of][roll(ids[of].length)] ?? word("id");
    const places = [
      ...[
        `GET /api/turns/${one("turn")}`,
        `GET /api/turns/${one("turn")}?parts=receipts,bytes,request,sample`,
        `POST /api/turns/${one("turn")}/stop`,
      ],
      ...[
        `GET /api/approvals/${one("held")}`,
        `POST /api/approvals/${one("held")}/approve`,
        `GET /api/users/${one("id")}`,
      ],
      ...[`DELETE /api/agents/${agent}/memory/${one("id")}`, `DELETE /api/agents/${agent}/schedules/${one("id")}`],
    ];
    for (const place of places) await own(acting)(place);
    await own(acting)(`POST /api/agents/${agent}/turns`, { input: word("input"), session: one("session") });
  },
  mistake: async (acting) => {
    const { agent, word, roll, person } = acting;
    const channel = canary(person.key, "u", "channel");
    const turns = `POST /api/agents/${agent}/turns`;
    const mistakes: readonly (readonly [string, unknown?])[] = [
      [turns, `{ "input": "${word("broken")}`],
      [turns, { [word("field")]: 1, input: word("input") }],
      [turns, { input: 7, channel }],
      [turns, { input: word("input"), channel }],
      [turns, { input: word("input"), user: word("user") }],
      [turns, { input: `${word("long")} `.repeat(2000) }],
      [turns, { input: word("large").repeat(40_000) }],
      [`POST /api/agents/${agent}/schedules`, { title: word("title"), input: word("input"), cron: word("cron") }],
      ["PATCH /api/me", { zone: word("zone") }],
      ["PATCH /api/me", { zone: "Asia/Kolkata" }],
      [`GET /api/agents/${word("agent")}/turns`],
      [`GET /api/${word("path")}/${word("deeper")}?${word("query")}=1`],
      [`GET /${word("path")}`],
      [`GET /api/agents/${agent}/memory?${word("query")}=${word("value")}`],
      [`PUT /api/users/${word("user")}`, { zone: word("zone") }],
      [`DELETE /api/agents/${agent}/links/telegram/${word("chat")}`],
    ];
    const [request, body] = mistakes[roll(mistakes.length)] as (typeof mistakes)[number];
    await own(acting)(request, body, { "x-note": word("header"), "user-agent": word("browser") });
  },
  late: async (acting) => {
    const { agent, word, roll, person } = acting;
    const ask = asking(acting, person.askLate[roll(person.askLate.length)] as (typeof person.askLate)[number]);
    const { status } = await ask(`POST /api/agents/${agent}/turns`, { input: word("late") });
    if (status !== 401) acting.watch.fault(`A token that is over was answered with ${status}.`);
  },
};
