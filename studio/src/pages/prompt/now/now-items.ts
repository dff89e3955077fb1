import type { NextRequestAnswer } from "charter/answers";

type Message = NextRequestAnswer["request"]["messages"][number];
type Section = NextRequestAnswer["parts"][number]["sections"][number];

/** A piece of the request, in the order the model reads it. */
export type NowItem =
  | { readonly kind: "section"; readonly section: Section; readonly tail: boolean }
  | { readonly kind: "update"; readonly sections: readonly Section[]; readonly text: string }
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "input" };

/** The request as the model reads it: the prefix by its sections, the messages with updates among them, the state. */
export function nowItems({ parts, request, input }: Pick<NextRequestAnswer, "parts" | "request" | "input">): {
  readonly prefix: readonly NowItem[];
  readonly history: readonly NowItem[];
  readonly state: readonly NowItem[];
} {
  const placed = (slot: "system" | "state", tail: boolean) =>
    parts.flatMap((part) =>
      part.slot === slot ? part.sections.map((section): NowItem => ({ kind: "section", section, tail })) : [],
    );
  const updates = new Map(parts.flatMap((part) => (part.slot === "update" ? [[part.message, part.sections]] : [])));
  // What comes after the user's message is the state: it is shown by its sections.
  const history = request.messages.slice(0, input ?? undefined).map((message, at): NowItem => {
    const sections = updates.get(at);
    return sections
      ? { kind: "update", sections, text: "text" in message ? message.text : "" }
      : { kind: "message", message };
  });
  return { prefix: placed("system", false), history: [...history, { kind: "input" }], state: placed("state", true) };
}
