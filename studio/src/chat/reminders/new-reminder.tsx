import { useState } from "react";
import { Button, Field, Input, Select } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { agentPath, sendJson } from "../api/request.ts";
import { Trouble } from "../kit/trouble.tsx";
import { deviceZone } from "../kit/when.ts";
import { cronOf, type Repeat, repeats, repeatWords, usualTime } from "./repeat.ts";

const longestTitle = 80;

/** A reminder of one's own: of what, when, how often. Times are those of one's own zone. */
export function NewReminder({ onDone }: { readonly onDone: () => void }) {
  const { agent, zone } = useFacts();
  const { busy, problem, run } = useAct();
  const [text, setText] = useState("");
  const [at, setAt] = useState(usualTime);
  const [repeat, setRepeat] = useState<Repeat>("once");
  const save = async () => {
    const cron = cronOf(repeat, at);
    // Read by the clock of the user's zone, and where none is set by this device's.
    const when = { ...(cron === undefined ? { at } : { cron }), ...(zone === null ? { zone: deviceZone() } : {}) };
    const words = text.trim();
    const letters = [...words];
    const title = letters.length > longestTitle ? `${letters.slice(0, longestTitle - 1).join("")}…` : words;
    const input = `A reminder the user asked for is due now. Deliver it to them in one short message.\n\n${words}`;
    if (await run(() => sendJson(agentPath(agent.name, "schedules"), { title, input, ...when }))) onDone();
  };
  return (
    <form
      aria-label="New reminder"
      className="space-y-3 rounded-xl border border-line bg-card p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Remind me of">
        <Input autoFocus value={text} maxLength={2000} dir="auto" onChange={({ target }) => setText(target.value)} />
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={repeat === "once" ? "When" : "From"}>
          <Input type="datetime-local" value={at} required onChange={({ target }) => setAt(target.value)} />
        </Field>
        <Field label="How often">
          <Select value={repeat} onChange={({ target }) => setRepeat(target.value as Repeat)}>
            {repeats.map((one) => (
              <option key={one} value={one}>
                {repeatWords[one]}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      {problem && <Trouble problem={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" disabled={busy || text.trim() === "" || at === ""}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
