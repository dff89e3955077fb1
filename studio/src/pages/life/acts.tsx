import { encodeName, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { useAsked } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { Grant } from "./grant.tsx";
import { type Life, sleepOf } from "./obstacles.ts";
import { Sleep } from "./sleep.tsx";

/** What can be done with all of it: a budget granted (`?do=grant`), sent to sleep (`?do=sleep`), woken. */
export function Acts({
  life,
  now,
  onDone,
}: {
  readonly life: Life;
  readonly now: number;
  readonly onDone: (says: string) => void;
}) {
  const { agent, balances } = life;
  const [asked, setAsked] = useAsked();
  const { busy, problem, run } = useAct();
  const open = (what: "grant" | "sleep") => setAsked({ do: what }, { replace: false });
  const close = () => setAsked({ do: undefined });
  const done = (says: string) => {
    close();
    onDone(says);
  };
  const wake = async () => {
    if (await run(() => sendJson(`/agents/${encodeName(agent)}/automaton/wake`))) onDone("It is awake.");
  };
  return (
    <>
      {sleepOf(life, now) ? (
        <Button disabled={busy} onClick={wake}>
          Wake it
        </Button>
      ) : (
        <Button onClick={() => open("sleep")}>Send to sleep…</Button>
      )}
      <Button kind="primary" onClick={() => open("grant")}>
        Grant a budget…
      </Button>
      {problem && <Trouble problem={problem} />}
      {asked("do") === "grant" && (
        <Grant
          agent={agent}
          granted={balances.granted !== null}
          left={balances.balance}
          onClose={close}
          onDone={done}
        />
      )}
      {asked("do") === "sleep" && <Sleep agent={agent} onClose={close} onDone={done} />}
    </>
  );
}
