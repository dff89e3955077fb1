import type { AgentListAnswer } from "charter/answers";
import { type KeyboardEvent, useId, useState } from "react";
import { useApi } from "../api/query-client.ts";
import { withQuery } from "../api/request.ts";
import { Input, Select, useTyped } from "../kit/field.tsx";
import { Option, useMarked } from "../kit/options.tsx";
import { plural } from "../kit/words.ts";

export type ListedAgent = AgentListAnswer["agents"][number];

/** So many are looked through at a glance; where there are more, they are found by typing. */
const atAGlance = 10;

/** The first agents by name, and whether there are more: every page has them, from one answer. */
export function useFirstAgents() {
  return useApi<AgentListAnswer>(withQuery("/agents", { limit: atAGlance }));
}

/** An agent as lists have it: one of the first, or else looked for by its name. */
export function useListedAgent(name: string | undefined) {
  const first = useFirstAgents();
  const isIt = (one: ListedAgent) => one.name === name;
  const among = first.data?.agents.find(isIt);
  // Others may have its name in theirs.
  const path = withQuery("/agents", { query: name, limit: 1000 });
  const found = useApi<AgentListAnswer>(first.data?.more && name !== undefined && !among ? path : undefined);
  return { listed: among ?? found.data?.agents.find(isIt), isPending: first.isPending || found.isLoading };
}

type AgentChoiceProps = {
  readonly agent: string | undefined;
  readonly label?: string;
  /** One is needed: all of them is no choice. */
  readonly needed?: boolean;
  /** All of them, where none is given. */
  readonly onChoose: (agent: ListedAgent | undefined) => void;
};

const place = "w-auto min-w-0 max-w-40 grow basis-16 lg:w-full lg:max-w-none lg:grow-0 lg:basis-auto";

/** Whose pages are shown: a list, or where there are many a field that finds them. */
export function AgentChoice({ agent, label = "Agent", needed = false, onChoose }: AgentChoiceProps) {
  const { data } = useFirstAgents();
  const { listed } = useListedAgent(agent);
  const agents = data?.agents ?? [];
  if (data?.more) return <AgentSearch {...{ agent, label, listed, needed, onChoose }} className={place} />;
  return (
    <Select
      aria-label={label}
      className={place}
      value={agent ?? ""}
      onChange={({ target }) => onChoose(agents.find(({ name }) => name === target.value))}
    >
      {!needed && <option value="">All agents</option>}
      {agent !== undefined && !listed && <option value={agent}>{agent}</option>}
      {agents.map((one) => (
        <option key={one.name} value={one.name}>
          {shownAs(one, agents)}
        </option>
      ))}
    </Select>
  );
}

/** By its label; where another has the same, by its name as well. */
function shownAs({ name, label }: ListedAgent, agents: readonly ListedAgent[]): string {
  if (label === undefined) return name;
  return agents.some((one) => one.name !== name && (one.label ?? one.name) === label) ? `${label} (${name})` : label;
}

type AgentSearchProps = {
  readonly agent: string | undefined;
  readonly label: string;
  readonly needed: boolean;
  /** The same, as lists have it, once that is known. */
  readonly listed: ListedAgent | undefined;
  readonly onChoose: (agent: ListedAgent | undefined) => void;
  readonly className?: string;
};

const shownAtOnce = 50;
const everyone = "All agents";

/** Finds an agent among many, by letters of its name or label: a combobox, as screen readers and keyboards know it. */
function AgentSearch({ agent, label, listed, needed, onChoose, className = "" }: AgentSearchProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState("");
  const [typed, type] = useTyped(asked, setAsked);
  const { data } = useApi<AgentListAnswer>(
    open ? withQuery("/agents", { query: asked, limit: shownAtOnce }) : undefined,
  );
  const found = data?.agents ?? [];
  const options: readonly (ListedAgent | undefined)[] = asked.trim() === "" && !needed ? [undefined, ...found] : found;
  const { marked, restart, move } = useMarked(options.length);
  const close = () => {
    setOpen(false);
    setAsked("");
    type("");
    restart();
  };
  const choose = (one: ListedAgent | undefined) => {
    close();
    onChoose(one);
  };
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (move(event) && !open) {
      restart();
      setOpen(true);
    }
    // Whoever types means another one: the letters do not go behind the name that stands there.
    if (!open && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) setOpen(true);
    if (event.key === "Escape") close();
    // What is shown while the letters are still on their way is not what they mean.
    if (event.key === "Enter" && open && data && typed === asked && options.length > 0) choose(options[marked]);
  };
  return (
    <div className={`relative ${className}`}>
      <Input
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={open && options.length > 0 ? `${id}${marked}` : undefined}
        autoComplete="off"
        dir="auto"
        placeholder={agent === undefined ? everyone : nameOf(listed ?? { name: agent })}
        className="placeholder:text-ink focus:placeholder:text-soft"
        value={open ? typed : agent === undefined ? "" : nameOf(listed ?? { name: agent })}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onClick={() => setOpen(true)}
        onChange={({ target }) => {
          setOpen(true);
          restart();
          type(target.value);
        }}
        onKeyDown={keys}
        onBlur={close}
      />
      <div
        className={`absolute z-40 mt-1 w-60 max-w-[calc(100vw-1.5rem)] rounded-md border border-line bg-card shadow-lg lg:w-full ${open ? "" : "hidden"}`}
      >
        <div id={`${id}list`} role="listbox" aria-label="Agents" className="max-h-72 overflow-y-auto py-1">
          {open &&
            options.map((one, index) => (
              <Option key={one?.name ?? ""} id={`${id}${index}`} marked={index === marked} onChoose={() => choose(one)}>
                <bdi>{one ? nameOf(one) : everyone}</bdi>
              </Option>
            ))}
        </div>
        <p role="status" className="border-line border-t px-2.5 py-1 text-soft text-xs">
          {open && data && foundWords(data)}
        </p>
      </div>
    </div>
  );
}

/** Two may have one label: the name stands beside it. */
function nameOf({ name, label }: Pick<ListedAgent, "name"> & { readonly label?: string | undefined }): string {
  return label === undefined ? name : `${label} (${name})`;
}

function foundWords({ agents, total, more }: AgentListAnswer): string {
  if (total === 0) return "No agent is called that.";
  return more
    ? `The first ${agents.length} of ${plural(total, "agent")}. Type to find others.`
    : plural(total, "agent");
}
