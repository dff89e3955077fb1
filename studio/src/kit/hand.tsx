/** Whose hand. Each has one colour everywhere. */
export type Actor = "agent" | "user" | "operator";

export const handInk: Readonly<Record<Actor, string>> = {
  agent: "text-hand-agent",
  user: "text-hand-user",
  operator: "text-hand-operator",
};

export const handTint: Readonly<Record<Actor, string>> = {
  agent: "bg-hand-agent-tint",
  user: "bg-hand-user-tint",
  operator: "bg-hand-operator-tint",
};

export const handFill: Readonly<Record<Actor, string>> = {
  agent: "bg-hand-agent",
  user: "bg-hand-user",
  operator: "bg-hand-operator",
};

/** Who did it, in their colour. */
export function Hand({ actor, children }: { readonly actor: Actor; readonly children?: string }) {
  return (
    <span className={`inline-flex rounded px-1.5 font-medium text-xs leading-5 ${handTint[actor]} ${handInk[actor]}`}>
      {children ?? actor}
    </span>
  );
}
