import { type FormEvent, type KeyboardEvent, type RefObject, useLayoutEffect } from "react";
import { Button } from "../../kit/field.tsx";
import { count } from "../../kit/words.ts";

/** So many characters are the most a turn is asked with. */
const longest = 32_000;
const tallest = 220;

type ComposerProps = {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly agent: string;
  readonly words: string;
  /** Something is being answered: the next words wait here until then. */
  readonly busy: boolean;
  readonly onWords: (words: string) => void;
  readonly onSend: () => void;
};

/** Where one writes. Enter sends, Shift and Enter break the line. */
export function Composer({ box, agent, words, busy, onWords, onSend }: ComposerProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is as high as its words.
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.style.height = "auto";
    box.current.style.height = `${Math.min(box.current.scrollHeight + 2, tallest)}px`;
  }, [words, box]);
  // Where the units are few enough, so are the characters.
  const long = words.length > longest ? [...words].length : 0;
  const can = !busy && words.trim() !== "" && long <= longest;
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (can) onSend();
  };
  return (
    <form onSubmit={send} className="mx-auto w-full max-w-3xl px-4 pt-2 pb-3 sm:px-6">
      {long > longest && (
        <p role="alert" className="mb-1 text-bad text-sm">
          {count(long)} characters; a message can have {count(longest)}.
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
          onKeyDown={(event) => {
            // The Enter that ends a composition is not one that sends; some browsers tell it by its code alone.
            const composing = event.nativeEvent.isComposing || event.keyCode === 229;
            if (event.key === "Enter" && !event.shiftKey && !composing) send(event);
          }}
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
