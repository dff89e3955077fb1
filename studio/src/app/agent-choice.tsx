import { Select } from "../kit/field.tsx";
import { AgentSearch } from "./agent-search.tsx";
import { type ListedAgent, useFirstAgents, useListedAgent } from "./use-agents.ts";

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
