import { ArrowDown, ArrowUp } from "lucide-react";
import { Button, Input } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { count } from "../../kit/words.ts";
import { maxHits } from "./hits.ts";

type FindProps = {
  readonly words: string;
  readonly hits: number;
  /** Which of them is looked at. */
  readonly here: number;
  readonly onType: (words: string) => void;
  readonly onStep: (by: 1 | -1) => void;
};

/** Finds words in the whole text, of which the browser knows only what is drawn. */
export function Find({ words, hits, here, onType, onStep }: FindProps) {
  const none = words !== "" && hits === 0;
  return (
    <search className="flex min-w-0 shrink-0 items-center gap-2">
      <Input
        type="search"
        aria-label="Find in the prompt"
        placeholder="Find in the prompt"
        className="lg:max-w-72"
        value={words}
        onChange={({ target }) => onType(target.value)}
        onKeyDown={({ key, shiftKey }) => key === "Enter" && onStep(shiftKey ? -1 : 1)}
      />
      {words !== "" && (
        <>
          <span role="status" className={`whitespace-nowrap text-xs tabular-nums ${none ? "text-bad" : "text-soft"}`}>
            {none ? "not found" : `${count(here + 1)} of ${count(hits)}${hits === maxHits ? "+" : ""}`}
          </span>
          <Button kind="quiet" className="px-2!" aria-label="Previous match" disabled={none} onClick={() => onStep(-1)}>
            <Icon of={ArrowUp} />
          </Button>
          <Button kind="quiet" className="px-2!" aria-label="Next match" disabled={none} onClick={() => onStep(1)}>
            <Icon of={ArrowDown} />
          </Button>
        </>
      )}
    </search>
  );
}
