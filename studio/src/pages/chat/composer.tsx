import type { RefObject } from "react";
import { longest, useComposing } from "../../kit/composing.ts";
import { Button } from "../../kit/field.tsx";
import { count } from "../../kit/words.ts";

type ComposerProps = {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly agent: string;
  readonly words: string;
  /** Something is being answered: the next words wait here until then. */
  readonly busy: boolean;
  readonly onWords: (words: string) => void;
  readonly onSend: () => void;
};

/** Where the operator writes to an agent, as any user. */
export function Composer({ box, agent, words, busy, onWords, onSend }: ComposerProps) {
  const ready = !busy && words.trim() !== "";
  const { can, tooLong, send, pressed } = useComposing({ box, text: words, ready, onSend });
  return (
    <form onSubmit={send} className="mx-auto w-full max-w-3xl px-4 pt-2 pb-3 sm:px-6">
      {tooLong !== undefined && (
        <p role="alert" className="mb-1 text-bad text-sm">
          {count(tooLong)} characters; a message can have {count(longest)}.
        </p>
      )}
      <div className="flex items-end gap-2 rounded-xl border border-line bg-card p-1.5 focus-within:border-accent">
        <textarea
          ref={box}
          aria-label="Message"
          aria-describedby="composer-keys"
          rows={1}
          dir="auto"
          autoComplete="off"
          placeholder={`Say something to ${agent}…`}
          value={words}
          onChange={({ target }) => onWords(target.value)}
          onKeyDown={pressed}
          className="min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 leading-6 outline-none placeholder:text-soft"
        />
        <Button type="submit" kind="primary" disabled={!can}>
          Send
        </Button>
      </div>
      <p id="composer-keys" className="mt-1 hidden px-2 text-soft text-xs sm:block">
        Enter sends, Shift + Enter starts a new line
      </p>
    </form>
  );
}
