/** An objection to a change, by the check that has it. */
export type Refusal = { readonly guard: string; readonly because: string; readonly holds?: true | undefined };

/** What each check minds, said to someone who has never heard of it. */
const plain: Readonly<Record<string, string>> = {
  frozen: "Nothing can be changed at the moment. Whoever runs the assistant has paused changes.",
  "allowed-hand": "You cannot change this text.",
  "stale-revision": "The text was changed elsewhere in the meantime.",
  "well-formed":
    "There are characters in it that cannot be saved, such as invisible ones, or a code block without an end.",
  "no-forgery": "A line in it looks like a part of the assistant’s own setup. Use plain lines, or headings with ###.",
  "no-override": "It tells the assistant to ignore its other rules. That cannot be saved.",
  room: "It is too long: there is no room left for it.",
  "size-limit": "It is too long or too short.",
  "protected-opening": "The beginning of this text cannot be changed.",
  "second-opinion": "Whoever runs the assistant has to look at this change first.",
  revision: "There is no such earlier version.",
};

export function plainRefusal({ guard, because }: Refusal): string {
  // Which text it is because of is known only where it was held, and is said in plain words there.
  if (guard === "needs-approval") return because;
  return plain[guard] ?? "This change was not accepted.";
}
