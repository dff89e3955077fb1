import { describe, expect, onTestFinished, test, vi } from "vitest";
import { alike } from "./alike.ts";
import { askCommand, askHttp, headersOf, type Outcome } from "./ask-doors.ts";
import { expectAlike, rows } from "./both-asked.ts";
import { copyNow, dropCopy, filled, stageDoors } from "./doors-stage.ts";
import { service } from "./filled-state.ts";
import { furtherOf, type Input, inputOf, leftOver } from "./row-input.ts";

/** One table, several doors: whoever asks, wherever they ask, the answer is the same, the refusal, and what came of it. */

stageDoors();

const people = ["operator", "user", "another user", "user of one agent", "user of another agent"];
const callers = [...people, "agent", "inbox", "chat"];

/** What is refused whatever the input, and with which problem: nobody here has the key of a core memory. */
const refusedAlways: Readonly<Record<string, string>> = Object.fromEntries(
  ["get", "memory", "list", "relays", "move", "new"].map((verb) => [`core.${verb} by the command`, "key-missing"]),
);

/** Rows that tell a command something else on purpose: what is wrong with a key; what was sent, which by HTTP is asked for. */
const apart = new Set(["core.get", "turns.show"]);
/** What operators were told by HTTP, with the same input as by the command. */
const toldByHttp = new Map<string, Outcome>();

for (const row of rows.filter(({ run }) => run !== undefined)) {
  /** A row that is new here needs an input, in row-input.ts, that it can answer. */
  const expectUsable = (door: string, { refused }: Outcome) => {
    const named = `${row.name} ${door}, asked as row-input.ts says, is refused with: `;
    expect(`${named}${refused ?? "nothing"}`).toBe(`${named}${refusedAlways[`${row.name} ${door}`] ?? "nothing"}`);
  };
  describe(row.name, () => {
    test.runIf(row.route)("answers by HTTP as it does by itself, whoever asks", async () => {
      for (const caller of callers) {
        const came = await expectAlike(row, "HTTP", caller);
        if (caller !== "operator") continue;
        expectUsable("by HTTP", came);
        toldByHttp.set(row.name, alike(came));
      }
      for (const input of furtherOf(row, "route")) await expectAlike(row, "HTTP", "operator", input);
    });

    test.runIf(row.route)("answers nobody without a token, and the holder of a reply's secret only that", async () => {
      const copy = await copyNow();
      const [nobody, signer] = [
        await askHttp(copy, row, "nobody", inputOf(row, "nobody", "route")),
        await askHttp(copy, row, "signer", inputOf(row, "signer", "route")),
      ];
      expect(nobody).toEqual({ status: 401, refused: "no-token" });
      if (row.name === "inbox.show") expect(signer.answer).toMatchObject({ id: "signed" });
      else expect(signer.status).toBe(401);
    });

    test.runIf(row.command)("answers by the command as it does by itself", async () => {
      const came = await expectAlike(row, "command", "operator");
      expectUsable("by the command", came);
      const isSame = !apart.has(row.name) && toldByHttp.has(row.name);
      if (isSame) expect(alike(came)).toEqual(toldByHttp.get(row.name));
      for (const input of furtherOf(row, "command")) await expectAlike(row, "command", "operator", input);
    });

    test.runIf(row.tool)("answers a model over MCP as it does by itself", async () => {
      for (const caller of people) await expectAlike(row, "MCP", caller);
    });
  });
}

test("no line of row-input.ts is left over", () => {
  expect(leftOver(rows)).toEqual([]);
});

test("over MCP nobody asks but operators and users with a token", async () => {
  const { app } = await copyNow();
  const statuses: Record<string, number> = {};
  for (const caller of ["agent", "inbox", "signer", "chat", "nobody"]) {
    const headers = { ...headersOf(caller), "content-type": "application/json" };
    statuses[caller] = (await app.fetch(new Request(`${service}/mcp`, { method: "POST", headers, body: "{}" }))).status;
  }
  expect(statuses).toEqual({ agent: 403, inbox: 403, signer: 401, chat: 401, nobody: 401 });
});

/** What an operator is answered by HTTP and by the command, each over a state of its own. */
async function asked(name: string, input: Input): Promise<{ readonly http: Outcome; readonly command: Outcome }> {
  const row = rows.find((one) => one.name === name) as (typeof rows)[number];
  await dropCopy();
  const http = alike(await askHttp(await copyNow(), row, "operator", input));
  await dropCopy();
  const command = alike(await askCommand(await copyNow(), row, input));
  await dropCopy();
  return { http, command };
}

for (const [when, nextAt] of [
  [{ cron: "0 8 * * *" }, "2026-02-19T13:00:00.000Z"],
  [{ at: "2026-12-24T09:00" }, "2026-12-24T14:00:00.000Z"],
] as const)
  test(`in New York, ${JSON.stringify(when)} is the same for someone without a time zone by HTTP and by the command`, async () => {
    vi.stubEnv("TZ", "America/New_York");
    onTestFinished(() => void vi.stubEnv("TZ", "UTC"));
    const { http, command } = await asked("schedules.add", { agent: "ada", user: "cy", input: "Sing.", ...when });
    expect(http.answer).toMatchObject({ nextAt });
    expect(command.answer).toEqual(http.answer);
  });

test("agents are added and changed with no model and no MCP server that is not known, by HTTP and by the command", async () => {
  const wrong = { model: "none/gpt", settings: { mcp: ["files"] } };
  for (const [name, agent] of [
    ["agents.add", { name: "new", charter: "assistant" }],
    ["agents.set", { agent: "ada" }],
  ] as const)
    for (const [field, code] of [
      ["model", "unknown-model"],
      ["settings", "bad-settings"],
    ] as const)
      expect(await asked(name, { ...agent, [field]: wrong[field] })).toEqual({
        http: { refused: code, status: code === "unknown-model" ? 404 : 400 },
        command: { refused: code, status: 2 },
      });
});

test("how an agent is that lives by itself has the same fields by HTTP and by the command", async () => {
  const { http, command } = await asked("automaton.status", { agent: "sol" });
  expect(Object.keys(command.answer as object)).toEqual(Object.keys(http.answer as object));
});

test("what waits says what it asks, and can be tried without being decided, by HTTP and by the command", async () => {
  const { held = "", heldCall = "" } = filled.things;
  const shown = await asked("approvals.show", { id: heldCall });
  expect(shown.http.answer).toMatchObject({ question: { sentence: expect.stringContaining("send_mail") } });
  expect(shown.command.answer).toEqual(shown.http.answer);
  const tried = await asked("approvals.approve", { id: held, dryRun: true });
  expect(tried.http.answer).toMatchObject({ verdict: "accepted" });
  expect(tried.command.answer).toEqual(tried.http.answer);
});

test("who is out of cycles has no second opinion asked for, by the command neither", async () => {
  const row = rows.find(({ name }) => name === "sections.amend") as (typeof rows)[number];
  const change = { section: "6", operation: "append", content: "Rest more.", actor: "agent" };
  for (const [agent, verdict] of Object.entries({ lea: "held", sol: "accepted" })) {
    const { answer } = await askCommand(await copyNow(), row, { agent, ...change });
    await dropCopy();
    expect(answer).toMatchObject({ verdict });
    if (agent === "lea") expect(JSON.stringify(answer)).toContain("It could not be asked (out-of-cycles).");
  }
});
