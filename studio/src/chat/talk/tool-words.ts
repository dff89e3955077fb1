/** What the agent does when it uses a tool, said while it does and afterwards. */
const known: Readonly<Record<string, readonly [doing: string, done: string]>> = {
  save_memory: ["Saving a note", "Saved a note"],
  update_memory: ["Changing a note", "Changed a note"],
  read_memory: ["Looking through your notes", "Looked through your notes"],
  forget_memory: ["Deleting a note", "Deleted a note"],
  update_instructions: ["Changing your instructions", "Worked on your instructions"],
  set_reminder: ["Setting a reminder", "Set a reminder"],
  list_reminders: ["Looking at your reminders", "Looked at your reminders"],
  cancel_reminder: ["Cancelling a reminder", "Cancelled a reminder"],
  set_time_zone: ["Setting your time zone", "Set your time zone"],
};

export type ToolState = "running" | "done" | "failed" | "waits" | "refused";

export function toolWords(tool: string, state: ToolState): string {
  const name = tool.replace(/[_-]+/g, " ");
  const [doing, done] = known[tool] ?? [`Using “${name}”`, `Used “${name}”`];
  if (state === "running") return `${doing}…`;
  if (state === "done") return done;
  if (state === "waits") return `${doing}: waits for your approval`;
  return `${doing}: ${state === "refused" ? "not allowed" : "did not work"}`;
}

/** Of an agent that has tools of its own, only the kind is told. */
const kinds: Readonly<Record<string, string>> = {
  read: "Reading",
  edit: "Writing",
  delete: "Deleting",
  move: "Moving files",
  search: "Searching",
  execute: "Running a command",
  fetch: "Reading a web page",
  think: "Thinking",
};

export const kindWords = (kind: string): string => kinds[kind] ?? "Using a tool";
