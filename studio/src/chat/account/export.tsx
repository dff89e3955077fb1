import { Button } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { request } from "../api/request.ts";
import { Card } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";

/** All that is kept about this user, as a file. */
export function Export() {
  const { busy, problem, run } = useAct();
  const save = () =>
    run(async () => {
      const words = await (await request("/api/me/export")).blob();
      const address = URL.createObjectURL(words);
      const link = document.createElement("a");
      link.href = address;
      link.download = `my-data-${new Date().toISOString().slice(0, 10)}.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    });
  return (
    <Card label="Your data">
      <h2 className="mb-1 font-semibold">Your data</h2>
      <p className="mb-3 text-sm text-soft">
        Download everything that is kept about you here: conversations, instructions, notes and reminders, as one file.
      </p>
      <Button disabled={busy} onClick={save}>
        {busy ? "Preparing…" : "Download"}
      </Button>
      {problem && <Trouble problem={problem} />}
    </Card>
  );
}
