import type { AgentListAnswer } from "charter/answers";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useApi } from "../api/query-client.ts";
import { withQuery } from "../api/request.ts";
import { Input } from "../kit/field.tsx";
import { useTyped } from "../kit/use-typed.ts";
import { plural } from "../kit/words.ts";
import type { ListedAgent } from "./use-agents.ts";

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
export function AgentSearch({ agent, label, listed, needed, onChoose, className = "" }: AgentSearchProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState("");
  const [typed, type] = useTyped(asked, setAsked);
  const [at, setAt] = useState(0);
  const { data } = useApi<AgentListAnswer>(
    open ? withQuery("/agents", { query: asked, limit: shownAtOnce }) : undefined,
  );
  const found = data?.agents ?? [];
  const options: readonly (ListedAgent | undefined)[] = asked.trim() === "" && !needed ? [undefined, ...found] : found;
  const marked = Math.min(at, options.length - 1);
  const close = () => {
    setOpen(false);
    setAsked("");
    type("");
    setAt(0);
  };
  const choose = (one: ListedAgent | undefined) => {
    close();
    onChoose(one);
  };
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (open) setAt((marked + step + options.length) % Math.max(1, options.length));
      else setOpen(true);
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
          setAt(0);
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
              <Option
                key={one?.name ?? ""}
                id={`${id}${index}`}
                words={one ? nameOf(one) : everyone}
                marked={index === marked}
                onChoose={() => choose(one)}
              />
            ))}
        </div>
        <p role="status" className="border-line border-t px-2.5 py-1 text-soft text-xs">
          {open && data && foundWords(data)}
        </p>
      </div>
    </div>
  );
}

function Option({ id, words, marked, onChoose }: OptionProps) {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marked) option.current?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  return (
    // The keys are the field's, which keeps the focus.
    <div
      ref={option}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={marked}
      dir="auto"
      className={`cursor-pointer px-2.5 py-1.5 text-sm [overflow-wrap:anywhere] ${marked ? "bg-raised" : ""}`}
      onMouseDown={(event) => {
        event.preventDefault();
        onChoose();
      }}
    >
      {words}
    </div>
  );
}

type OptionProps = {
  readonly id: string;
  readonly words: string;
  readonly marked: boolean;
  readonly onChoose: () => void;
};

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
