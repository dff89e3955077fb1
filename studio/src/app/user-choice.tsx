import type { AgentUsersAnswer, UserListAnswer } from "charter/answers";
import { useId, useState } from "react";
import { useApi } from "../api/query-client.ts";
import { encodeName, withQuery } from "../api/request.ts";
import { Field, Input } from "../kit/field.tsx";

/** Which user: one the agent knows (of all agents: any that is listed), or any other name. Empty is nobody in particular. */
export function UserChoice({
  agent,
  user,
  onUser,
  label = "User",
  nobody = "no user: the agent’s own",
  also = [],
  needed = false,
  className,
}: {
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly onUser: (user: string | undefined) => void;
  readonly label?: string;
  readonly nobody?: string;
  /** Offered as well, whether the agent knows them or not. */
  readonly also?: readonly string[];
  /** There is always someone: a field that was emptied waits for a name, and has the old one again when it is left. */
  readonly needed?: boolean;
  readonly className?: string;
}) {
  const list = useId();
  const path = agent === undefined ? "/users" : `/agents/${encodeName(agent)}/users`;
  const { data } = useApi<AgentUsersAnswer | UserListAnswer>(withQuery(path, { limit: 1000 }));
  const known = data?.users.map((one) => (typeof one === "string" ? one : one.id));
  const [typed, setTyped] = useState<string>();
  const offered = [...new Set([...also, ...(known ?? [])])];
  const choose = (value: string) => {
    setTyped(undefined);
    if (needed && value === "") return;
    if (value !== (user ?? "")) onUser(value === "" ? undefined : value);
  };
  return (
    <Field label={label} {...(className === undefined ? {} : { className })}>
      <Input
        list={list}
        dir="auto"
        placeholder={nobody}
        autoComplete="off"
        value={typed ?? user ?? ""}
        onChange={({ target: { value }, nativeEvent }) => {
          if ((value === "" && !needed) || (offered.includes(value) && isWhole(value, offered, nativeEvent)))
            choose(value);
          else setTyped(value);
        }}
        onBlur={() => typed !== undefined && choose(typed)}
        onKeyDown={({ key, currentTarget, nativeEvent }) => {
          if (nativeEvent.isComposing) return;
          if (key === "Enter") choose(currentTarget.value);
          if (key === "Escape") setTyped(undefined);
        }}
      />
      <datalist id={list}>
        {offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </Field>
  );
}

/** Whether a name is meant as it stands: it was picked from the list, or no other one begins with what was typed so far. */
function isWhole(name: string, offered: readonly string[], event: Event): boolean {
  const typed = event instanceof InputEvent && event.inputType !== "insertReplacementText";
  return !typed || !offered.some((one) => one !== name && one.startsWith(name));
}
