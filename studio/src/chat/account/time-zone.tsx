import { useState } from "react";
import { Button, Field, Select } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { sendJson } from "../api/request.ts";
import { Card } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { deviceZone } from "../kit/when.ts";

/** Whose clock reminders go by, and what the agent takes for “now”. */
export function TimeZone() {
  const { zone } = useFacts();
  const here = deviceZone();
  const [chosen, setChosen] = useState(zone ?? "");
  const [told, setTold] = useState("");
  const { busy, problem, run } = useAct();
  const all = [...new Set([here, ...(zone === null ? [] : [zone]), ...Intl.supportedValuesOf("timeZone")])].sort();
  const save = async () => {
    setTold("");
    const body = { zone: chosen === "" ? null : chosen };
    if (await run(() => sendJson("/api/me", body, { method: "PATCH" }))) setTold("Saved.");
  };
  return (
    <Card label="Time zone">
      <h2 className="mb-3 font-semibold">Time zone</h2>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Your time zone" hint={`This device is in ${here}.`}>
          <Select value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value="">Not set</option>
            {all.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll("_", " ")}
              </option>
            ))}
          </Select>
        </Field>
        <div className="flex items-center gap-3">
          <Button type="submit" disabled={busy || chosen === (zone ?? "")}>
            Save
          </Button>
          <p role="status" className="text-good text-sm">
            {told}
          </p>
        </div>
        {problem && <Trouble problem={problem} />}
      </form>
    </Card>
  );
}
