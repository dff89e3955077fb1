import { Bot, CircleAlert, Cpu, type LucideIcon, ScrollText, User, UserCog } from "lucide-react";
import { Icon } from "./icon.tsx";

/** Who makes a change. */
export type Actor = "agent" | "user" | "operator";

/** Whose words: an actor's, the charter's own, those of code, or anybody else's. Each has one colour everywhere. */
export type HandName = Actor | "charter" | "program" | "stranger";

export const handInk: Readonly<Record<HandName, string>> = {
  agent: "text-hand-agent",
  user: "text-hand-user",
  operator: "text-hand-operator",
  charter: "text-fixed-ink",
  program: "text-live-ink",
  stranger: "text-bad",
};

export const handTint: Readonly<Record<HandName, string>> = {
  agent: "bg-hand-agent-tint",
  user: "bg-hand-user-tint",
  operator: "bg-hand-operator-tint",
  charter: "bg-fixed-tint",
  program: "bg-live-tint",
  stranger: "bg-bad/12",
};

export const handFill: Readonly<Record<HandName, string>> = {
  agent: "bg-hand-agent",
  user: "bg-hand-user",
  operator: "bg-hand-operator",
  charter: "bg-fixed",
  program: "bg-live",
  stranger: "bg-bad",
};

/** The line at the margin of words: its colour says whose they are, and so does its form. */
export const handEdge: Readonly<Record<HandName, string>> = {
  agent: "border-hand-agent border-double",
  user: "border-hand-user border-solid",
  operator: "border-hand-operator border-solid",
  charter: "border-fixed border-solid",
  program: "border-live border-dotted",
  stranger: "border-bad border-dashed",
};

const handIcon: Readonly<Record<HandName, LucideIcon>> = {
  agent: Bot,
  user: User,
  operator: UserCog,
  charter: ScrollText,
  program: Cpu,
  stranger: CircleAlert,
};

/** Who did it: the word, in their colour and with their picture. */
export function Hand({ actor }: { readonly actor: HandName }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded px-1.5 font-medium text-xs leading-5 ${handTint[actor]} ${handInk[actor]}`}
    >
      <Icon of={handIcon[actor]} className="size-3" />
      {actor}
    </span>
  );
}
