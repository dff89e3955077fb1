import { useState } from "react";
import { encodeName, sendJson } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Choices, Field, Input } from "../../kit/field.tsx";
import { timeText } from "../../kit/words.ts";

const ways = [
  ["woken", "Until I wake it"],
  ["time", "Until a time"],
] as const;

/** Sends an agent to sleep: until someone wakes it, or until a time. */
export function Sleep({
  agent,
  onClose,
  onDone,
}: {
  readonly agent: string;
  readonly onClose: () => void;
  readonly onDone: (says: string) => void;
}) {
  const [way, setWay] = useState<(typeof ways)[number][0]>("woken");
  const [time, setTime] = useState("");
  const act = useAct();
  const until = way === "woken" || time === "" ? undefined : new Date(time).toISOString();
  const sleep = async () => {
    const path = `/agents/${encodeName(agent)}/automaton/sleep`;
    if (await act.run(() => sendJson(path, until === undefined ? {} : { until })))
      onDone(`It sleeps until ${until === undefined ? "you wake it" : timeText(until)}.`);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={`Send “${agent}” to sleep`}
      about="A turn that runs now goes on to its end. After that it takes none, and messages wait. Users can still talk to it."
      act={act}
      does="Send to sleep"
      ready={way === "woken" || time !== ""}
      onSubmit={sleep}
    >
      <Choices label="How long" of={ways} chosen={way} onChoose={setWay} />
      {way === "time" && (
        <Field label="Until" hint="In your own time zone.">
          <Input required type="datetime-local" value={time} onChange={({ target }) => setTime(target.value)} />
        </Field>
      )}
    </FormDialog>
  );
}
