import type { AutomatonAnswer } from "charter/answers";
import { useState } from "react";
import { encodeName, sendJson } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Field, Input } from "../../kit/field.tsx";
import { microsOf, money } from "./budget-words.ts";

/** Grants an agent more to spend: in dollars, added to what it has. */
export function Grant({
  agent,
  granted,
  left,
  onClose,
  onDone,
}: {
  readonly agent: string;
  /** Whether anything was ever granted. */
  readonly granted: boolean;
  readonly left: number | null;
  readonly onClose: () => void;
  readonly onDone: (says: string) => void;
}) {
  const [typed, setTyped] = useState("");
  const act = useAct();
  const micros = microsOf(typed);
  const grant = async () => {
    if (micros === undefined) return;
    const path = `/agents/${encodeName(agent)}/automaton/grant`;
    const answer = await act.run(() => sendJson<AutomatonAnswer>(path, { micros }));
    if (answer) onDone(`Granted ${money(micros)}.${leftAfter(answer.balances.balance)}`);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={`Grant “${agent}” a budget`}
      about={
        granted
          ? "Added to the remaining budget."
          : "From now on, everything it spends counts against this budget. When the budget runs low it does less; when it is used up it stops."
      }
      act={act}
      does={micros === undefined ? "Grant" : `Grant ${money(micros)}`}
      ready={micros !== undefined}
      onSubmit={grant}
    >
      <Field label="Dollars" hint={hintOf(typed, micros, left)}>
        <Input
          required
          inputMode="decimal"
          autoComplete="off"
          placeholder="5.00"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function hintOf(typed: string, micros: number | undefined, left: number | null): string {
  if (micros !== undefined)
    return left === null ? `Its budget will be ${money(micros)}.` : `Its budget will be ${money(left + micros)}.`;
  return typed.trim() === "" ? "For example 5 or 2.50." : "Enter an amount like 5 or 2.50, with a point.";
}

function leftAfter(balance: number | null): string {
  return balance === null ? "" : ` It has ${money(balance)} left.`;
}
