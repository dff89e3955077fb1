import type { Receipt, SentSlot } from "charter";
import type { TurnParts } from "charter/answers";

type Request = TurnParts["request"]["request"];
type SentMessage = Request["messages"][number];
type Attachment = NonNullable<Extract<SentMessage, { role: "user" | "system" }>["attachments"]>[number];

/** Text of a message, under what it is. */
export type Block = {
  readonly key: string;
  readonly label: string | undefined;
  readonly text: string;
  readonly tone: "said" | "code" | "failed";
};

export type ToolPart = {
  readonly kind: "tool";
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly schema: string;
};

/** Text of the prompt, of which the receipt says whose each stretch is. */
export type SlotPart = {
  readonly kind: "slot";
  readonly key: string;
  readonly title: string;
  readonly role: string;
  readonly text: string;
  readonly slot: SentSlot;
  /** Where a cache breakpoint stood in it or after it, in words. */
  readonly breakpoint: string | undefined;
};

export type MessagePart = {
  readonly kind: "message";
  readonly key: string;
  readonly title: string;
  readonly role: SentMessage["role"];
  readonly blocks: readonly Block[];
  readonly attachments: readonly Attachment[];
  readonly breakpoint: string | undefined;
};

/** A whole request in the order the model reads it. */
export type Transcript = {
  readonly tools: readonly ToolPart[];
  readonly system: readonly SlotPart[];
  readonly messages: readonly (SlotPart | MessagePart)[];
  /** The JSON Schema the final answer had to fit. */
  readonly format: string | undefined;
};

export function transcriptOf(request: Request, receipt: Pick<Receipt, "slots" | "history">): Transcript {
  const { tools, system, messages, output } = request;
  const slotOf = (name: string) => receipt.slots.find(({ slot }) => slot === name);
  const among = new Map(receipt.slots.flatMap((slot) => (slot.message === undefined ? [] : [[slot.message, slot]])));
  const history = receipt.history?.messages ?? messages.length;
  const own = firstOwn(history, among, receipt.history?.source?.own ?? 0);
  const text = system.map((block) => block.text).join("");
  const slot = slotOf("system") ?? emptySlot;
  return {
    tools: tools.map(({ name, description, input }, index) => ({
      kind: "tool",
      key: `t${index + 1}`,
      name,
      description: description === name ? "" : description,
      schema: JSON.stringify(input, null, 2),
    })),
    system:
      text === ""
        ? []
        : [{ kind: "slot", key: "s", title: "System prompt", role: "system", text, slot, breakpoint: inSystem(slot) }],
    messages: messages.map((message, index) => {
      const key = `m${index + 1}`;
      const placed = among.get(index) ?? (index >= history ? slotOf("state") : undefined);
      const breakpoint = message.breakpoint && "cache breakpoint after it";
      const title = placed && slotTitle(placed);
      if (placed && title && "text" in message && message.role !== "assistant")
        return { kind: "slot", key, title, role: message.role, text: message.text, slot: placed, breakpoint };
      return { ...messagePart(message, key, index >= own ? "this turn" : "history"), breakpoint };
    }),
    format: output && JSON.stringify(output.schema, null, 2),
  };
}

const emptySlot: SentSlot = { slot: "system", digest: "", sections: [], breakpoints: [] };

function inSystem({ breakpoints, sections }: SentSlot): string | undefined {
  const after = breakpoints.flatMap((index) => sections[index - 1]?.name ?? []);
  return after.length === 0 ? undefined : `cache breakpoint after ${after.join(" and ")}`;
}

const titles: Readonly<Record<string, string>> = {
  state: "Dynamic state",
  compaction: "Request for a summary",
};

function slotTitle({ slot, sections }: SentSlot): string {
  return slot === "update" ? `Update of ${sections[0]?.name ?? "the prompt"}` : (titles[slot] ?? slot);
}

/** From which message on they are of the turn itself: so many, updates not counted, before the history ends. */
function firstOwn(history: number, among: ReadonlyMap<number, SentSlot>, own: number): number {
  let at = history;
  for (let left = own; left > 0 && at > 0; at--) if (!among.has(at - 1)) left--;
  return at;
}

function messagePart(
  message: SentMessage,
  key: string,
  when: "this turn" | "history",
): Omit<MessagePart, "breakpoint"> {
  const about = { kind: "message", key, role: message.role, attachments: [] } as const;
  if (message.role === "tool")
    return {
      ...about,
      title: `Tool results, ${when}`,
      blocks: message.results.map((one, at) => resultBlock(one, key, at)),
    };
  if (message.role === "assistant") {
    const { text, calls, native } = message;
    const said = text === "" ? [] : [{ key: `${key}.text`, label: undefined, text, tone: "said" as const }];
    const asked = calls.map(({ id, name, input }, at): Block => {
      return { key: `${key}.${at + 1}`, label: `Calls ${name} (${id})`, text: input, tone: "code" };
    });
    const parts: readonly Block[] =
      native === undefined || native === null
        ? []
        : [
            {
              key: `${key}.native`,
              label: "The provider’s own parts",
              text: JSON.stringify(native, null, 2),
              tone: "code",
            },
          ];
    return { ...about, title: `Assistant, ${when}`, blocks: [...said, ...asked, ...parts] };
  }
  const { text, attachments = [] } = message;
  const title =
    message.role === "system"
      ? `System message, ${when}`
      : when === "this turn"
        ? "Input of this turn"
        : `User, ${when}`;
  return { ...about, title, attachments, blocks: [{ key: `${key}.text`, label: undefined, text, tone: "said" }] };
}

type Result = Extract<SentMessage, { role: "tool" }>["results"][number];

function resultBlock({ name, call, output, failed, shortened }: Result, key: string, at: number): Block {
  const how = `${failed ? ", failed" : ""}${shortened ? ", shortened to fit" : ""}`;
  return {
    key: `${key}.${at + 1}`,
    label: `Result of ${name} (${call})${how}`,
    text: output,
    tone: failed ? "failed" : "code",
  };
}

/** How many characters of text a part has. */
export function sizeOf(part: ToolPart | SlotPart | MessagePart): number {
  if (part.kind === "tool") return part.name.length + part.description.length + part.schema.length;
  if (part.kind === "slot") return part.text.length;
  return part.blocks.reduce((sum, { text }) => sum + text.length, 0);
}
