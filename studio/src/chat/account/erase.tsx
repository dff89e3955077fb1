import { useState } from "react";
import { Button, Field, Input } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { sendJson } from "../api/request.ts";
import { leave } from "../app/sign-in.ts";
import { Modal } from "../kit/confirm.tsx";
import { Card } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";

/** Deletes all that is kept about this user, after they have typed their name. */
export function Erase() {
  const { user } = useFacts();
  const { busy, problem, run, clear } = useAct();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const close = () => {
    setOpen(false);
    setTyped("");
    clear();
  };
  const erase = () =>
    run(async () => {
      await sendJson("/api/me/erase", { confirm: typed });
      leave();
    });
  return (
    <Card label="Delete everything">
      <h2 className="mb-1 font-semibold">Delete everything</h2>
      <p className="mb-3 text-sm text-soft">
        Deletes your conversations, instructions, notes, reminders and linked chats. This cannot be undone.
      </p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete everything…
      </Button>
      <Modal open={open} onClose={close} title="Delete everything permanently?">
        <form
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed === user) void erase();
          }}
        >
          <p className="text-sm text-soft">
            Everything that is kept about you is deleted, and you are signed out. Nobody can bring it back. You may want
            to download your data first.
          </p>
          <p className="text-sm [overflow-wrap:anywhere]">
            To confirm, type <strong className="select-all">{user}</strong>
          </p>
          <Field label="Your name here">
            <Input
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => setTyped(target.value)}
            />
          </Field>
          {problem && <Trouble problem={problem} />}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" kind="danger" disabled={busy || typed !== user}>
              Delete permanently
            </Button>
          </div>
        </form>
      </Modal>
    </Card>
  );
}
