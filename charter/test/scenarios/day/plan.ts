import type { AgentName } from "./servers.ts";

/** Where someone talks with an agent: each is a conversation of its own. */
export type Conversation = {
  readonly user: string;
  readonly door: "web" | "telegram" | "terminal";
  readonly agent: AgentName;
};

/** The first four are the hour; all of them are the day. */
export const conversations: readonly Conversation[] = [
  { user: "ann", door: "web", agent: "opa" },
  { user: "bo", door: "telegram", agent: "ada" },
  { user: "cy", door: "terminal", agent: "oli" },
  { user: "dee", door: "web", agent: "vic" },
  { user: "ann", door: "telegram", agent: "ada" },
  { user: "bo", door: "web", agent: "oli" },
  { user: "cy", door: "web", agent: "ada" },
  { user: "dee", door: "terminal", agent: "opa" },
  { user: "cy", door: "telegram", agent: "ada" },
  { user: "dee", door: "web", agent: "oli" },
];

export const users = ["ann", "bo", "cy", "dee"] as const;

/** What someone does, and with which words; `expects` are those that must be in the answer. */
export type Act = {
  readonly mark: string;
  readonly conversation: Conversation;
  readonly input: string;
  /** Before it they begin anew, and of the conversation nothing is known any more; or have it summed up. */
  readonly first?: "new" | "compact";
  /** The answer, to the letter; or the words it must have, in any order, and no others. */
  readonly expects: { readonly reply: string } | { readonly opening: string; readonly words: readonly string[] };
  /** The news a schedule is to bring: by a reminder that the agent sets, or by the operator's schedule. */
  readonly schedules?: { readonly mark: string; readonly word: string; readonly by: "agent" | "operator" };
};

type Kind =
  | "remember"
  | "tell"
  | "read"
  | "note"
  | "sign"
  | "remind"
  | "news"
  | "words"
  | "notes"
  | "signed"
  | "anew"
  | "compact";

const cycles: Readonly<Record<Conversation["door"], readonly Kind[]>> = {
  web: ["remember", "read", "note", "sign", "tell", "compact", "signed", "notes", "read", "words", "anew"],
  telegram: [
    "remember",
    "remind",
    "read",
    "news",
    "tell",
    "words",
    "sign",
    "note",
    "remind",
    "read",
    "news",
    "notes",
    "signed",
    "anew",
  ],
  terminal: ["remember", "note", "tell", "tell", "sign", "tell", "words", "notes", "signed", "anew"],
};

/** All acts of a day, one after the other: conversations take turns, each goes through what its door is used for. */
export function planDay(turns: number): Act[] {
  const part = turns < 100 ? conversations.slice(0, 4) : conversations;
  const known = new Map<string, string[]>();
  const acts: Act[] = [];
  let taken = 0;
  for (let round = 0; taken < turns; round++)
    for (const conversation of part) {
      if (taken >= turns) break;
      const { user, door, agent } = conversation;
      const kinds = cycles[door];
      const kind = kinds[round % kinds.length] as Kind;
      const number = acts.length + 1;
      const mark = `t${number}`;
      const key = (of: string) => `${of} ${agent} ${user} ${of === "talk" ? door : ""}`;
      const recall = (of: string) => known.get(key(of)) ?? [];
      const plant = (of: string) => {
        const word = `zq${user}-${of}-${number}`;
        known.set(key(of), of === "sign" ? [word] : [...recall(of), word]);
        return word;
      };
      const act = (words: string, expects: Act["expects"], more: Pick<Act, "schedules" | "first"> = {}) =>
        acts.push({ mark, conversation, input: `(${mark} zq${user}) ${words}`, expects, ...more });
      taken += 1;
      if (kind === "remember" || kind === "tell") {
        const word = plant("talk");
        const more = kind === "tell" ? ` ${filler(6000 + (number % 5) * 2500)}` : "";
        act(`Remember ${word}.${more}`, { reply: `Noted, ${word}.` });
      } else if (kind === "read") {
        const [pages, chars] = [2 + (number % 4), [3000, 9000, 20_000, 48_000][number % 4]];
        act(`Read ${pages} pages of ${chars} characters.`, { reply: `I read ${pages} pages.` });
      } else if (kind === "note") {
        const word = plant("note");
        act(`Keep a note of ${word}.`, { reply: `Kept ${word}.` });
      } else if (kind === "sign") {
        const word = plant("sign");
        act(`Always sign with ${word}.`, { reply: `I sign ${word}.` });
      } else if (kind === "remind") {
        const word = plant("news");
        const reminder = `r${number}`;
        const by = round % 2 === 1 ? "operator" : "agent";
        taken += 1;
        if (by === "agent")
          act(
            `Remind me of ${word} at {at} [${reminder}].`,
            { reply: `I will bring ${word}.` },
            { schedules: { mark: reminder, word, by } },
          );
        else
          act(
            "Which words did I tell you here?",
            { opening: "Words:", words: recall("talk") },
            { schedules: { mark: reminder, word, by } },
          );
      } else if (kind === "news") act("Which news did you bring me?", { opening: "News:", words: recall("news") });
      else if (kind === "words") act("Which words did I tell you here?", { opening: "Words:", words: recall("talk") });
      else if (kind === "anew") {
        known.delete(key("talk"));
        if (door === "telegram") known.delete(key("news"));
        act("Which words did I tell you here?", { opening: "Words:", words: [] }, { first: "new" });
      } else if (kind === "compact")
        act("Which words did I tell you here?", { opening: "Words:", words: recall("talk") }, { first: "compact" });
      else if (kind === "notes") act("Which notes do you have?", { opening: "Notes:", words: recall("note") });
      else act("How do you sign?", { reply: `I sign ${recall("sign").at(-1) ?? "with nothing"}.` });
    }
  return acts;
}

function filler(chars: number): string {
  return "It was a day like others, and much was said of it. "
    .repeat(Math.ceil(chars / 50))
    .slice(0, chars)
    .trimEnd();
}
