import { checkToolInput, type Tool, type ToolContext, type ToolOutput } from "../../src/agent/tool.ts";
import type { DeclaredTurn } from "../../src/charters/declared-turn.ts";
import type { Quote } from "../../src/delivery/cost.ts";
import { assemble, gather, type Prompt, type Proposal, type Room, withStanding } from "../../src/index.ts";
import { type AmendmentContext, createStore, type Store } from "../../src/store/index.ts";
import { newFile } from "../homes.ts";

/** A turn's tools, over a real store: what the model sees, what its calls come to, what stands afterwards. */
export type Bench = {
  readonly store: Store;
  /** A turn that begins now: its prompt is the one of this moment. */
  readonly turn: (over?: Partial<ToolContext>) => Promise<Turn>;
  /** Another hand's change. */
  readonly propose: (proposal: Omit<Proposal, "actor"> & { readonly actor?: Proposal["actor"] }) => Promise<unknown>;
  readonly standing: (section: string) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
};

export type Turn = {
  readonly context: ToolContext;
  /** What the model is given of a call, as text; parsed where it is JSON. */
  readonly call: (name: string, input: object) => Promise<Called>;
};

export type Called = { readonly result: unknown; readonly failed?: true; readonly foreign?: true };

export type BenchOptions = { readonly user?: string; readonly room?: Room; readonly quote?: Quote };

export async function newBench(given: DeclaredTurn, { user, room = {}, quote }: BenchOptions = {}): Promise<Bench> {
  const place = await newFile();
  let seconds = 0;
  const store = await createStore(place.open(), { now: () => new Date(Date.UTC(2026, 1, 18, 0, 0, seconds++)) });
  await store.agents.put({ name: "ada", charter: given.charter.name });
  const { charter, fault } = given;
  const scope = { agent: "ada", ...(user === undefined ? {} : { user }) };
  const rulesFor = await given.rules();
  const tools = (await given.tools?.()) ?? [];
  const standings = () => store.standings.read(charter, scope, fault);
  const readings = async () => gather(charter, { ...given.turn, ...scope, standing: await standings() });
  const promptNow = async (): Promise<Prompt> => assemble(charter, await readings(), room);
  const deskNow = async (more: Partial<AmendmentContext> = {}): Promise<AmendmentContext> => {
    const read = await readings();
    return {
      charter,
      scope,
      rules: (section, standing) => rulesFor(section, withStanding(charter, read, standing), room),
      turn: { ...given.turnFacts, state: "ExecutingActions" },
      ...(fault ? { fault } : {}),
      ...more,
    };
  };
  let turns = 0;
  return {
    store,
    propose: async (proposal) => store.propose(await deskNow(), { actor: "operator", ...proposal }),
    standing: async (section) => {
      const found = (await standings())[section];
      return found && "text" in found ? found.text : undefined;
    },
    close: async () => {
      await store.close();
      await place.remove();
    },
    turn: async (over = {}) => {
      const turn = `turn-${++turns}`;
      let calls = 0;
      const tainted = over.tainted ?? false;
      const context: ToolContext = {
        turn,
        scope,
        user: scope.user ?? null,
        channel: undefined,
        now: "2026-02-18T00:00:00.000Z",
        call: "",
        tainted,
        signal: new AbortController().signal,
        store,
        prompt: await promptNow(),
        messages: [],
        standing: async (section) => {
          const found = (await standings())[section] ?? { text: originalOf(given, section), revision: 0 };
          if ("unavailable" in found) throw new Error(found.unavailable);
          return found;
        },
        propose: async (change) => {
          const desk = await deskNow({ turn: { tainted, amendments: 0, state: "ExecutingActions" } });
          const outcome = await store.propose(desk, { ...change, actor: "agent", turn });
          return quote ? { ...outcome, quote } : outcome;
        },
        ...over,
      };
      const call = async (name: string, input: object): Promise<Called> => {
        const tool = tools.find((one) => one.name === name) as unknown as Tool<unknown>;
        const parsed = await checkToolInput(tool, input);
        if ("fault" in parsed) throw new Error(parsed.fault);
        return called(await tool.run(parsed.input, { ...context, call: `call-${++calls}` }));
      };
      return { context, call };
    },
  };
}

function originalOf({ charter }: DeclaredTurn, name: string): string {
  const sections = charter.layers.flatMap((layer) => layer.sections);
  return sections.find((section) => section.name === name)?.original ?? "";
}

function called(output: ToolOutput): Called {
  if (typeof output === "string") return { result: output };
  const { text, ...marks } = output as { text: string; failed?: true; foreign?: true };
  return { result: text.startsWith("{") ? JSON.parse(text) : text, ...marks };
}
