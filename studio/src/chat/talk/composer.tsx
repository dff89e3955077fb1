import { ArrowUp, Paperclip } from "lucide-react";
import { type ClipboardEvent, type RefObject, useRef } from "react";
import { longest, useComposing } from "../../kit/composing.ts";
import { Icon } from "../../kit/icon.tsx";
import { count } from "../../kit/words.ts";
import { useFacts } from "../api/read.ts";
import { type Attachment, AttachmentList } from "./attachment.tsx";

/** Where one writes. Pictures are chosen, pasted, or dropped on the page. */
export function Composer({
  box,
  label,
  text,
  files,
  objections,
  running,
  onText,
  onFiles,
  onRemove,
  onSend,
  onStop,
}: {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly label: string;
  readonly text: string;
  readonly files: readonly Attachment[];
  readonly objections: readonly string[];
  /** An answer is on its way: the next message waits here until then. */
  readonly running: boolean;
  readonly onText: (text: string) => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onRemove: (id: string) => void;
  readonly onSend: () => void;
  readonly onStop: (() => void) | undefined;
}) {
  const limits = useFacts().files;
  const chooser = useRef<HTMLInputElement>(null);
  const ready = !running && (text.trim() !== "" || files.length > 0);
  const { can, tooLong, send, pressed } = useComposing({ box, text, ready, onSend });
  const pasted = (event: ClipboardEvent) => {
    if (!limits || event.clipboardData.files.length === 0) return;
    event.preventDefault();
    onFiles([...event.clipboardData.files]);
  };
  return (
    <form className="mx-auto w-full max-w-2xl px-3 pt-1 pb-3 sm:px-6 sm:pb-5" onSubmit={send}>
      {(objections.length > 0 || tooLong !== undefined) && (
        <ul role="alert" className="mb-2 space-y-0.5 px-2 text-bad text-sm [overflow-wrap:anywhere]">
          {objections.map((one) => (
            <li key={one}>{one}</li>
          ))}
          {tooLong !== undefined && (
            <li>
              Your message has {count(tooLong)} characters; the limit is {count(longest)}.
            </li>
          )}
        </ul>
      )}
      <div className="rounded-3xl border border-line bg-card p-1.5 shadow-sm focus-within:border-accent">
        <AttachmentList of={files} onRemove={onRemove} />
        <div className="flex items-end gap-1">
          {limits && (
            <>
              <input
                ref={chooser}
                type="file"
                multiple
                hidden
                accept={limits.kinds.join(",")}
                onChange={({ target }) => {
                  onFiles([...(target.files ?? [])]);
                  target.value = "";
                }}
              />
              <button
                type="button"
                aria-label="Add pictures or files"
                title="Add pictures or files"
                onClick={() => chooser.current?.click()}
                className="grid size-9 shrink-0 place-items-center rounded-full text-soft hover:bg-raised hover:text-ink"
              >
                <Icon of={Paperclip} className="size-5" />
              </button>
            </>
          )}
          <textarea
            ref={box}
            aria-label="Message"
            rows={1}
            dir="auto"
            autoComplete="off"
            enterKeyHint="send"
            placeholder={`Message ${label}`}
            value={text}
            onChange={({ target }) => onText(target.value)}
            onKeyDown={pressed}
            onPaste={pasted}
            className={`min-h-9 min-w-0 flex-1 resize-none bg-transparent py-1.5 leading-6 outline-none placeholder:text-soft ${limits ? "px-1" : "px-3"}`}
          />
          {running ? (
            <button
              type="button"
              aria-label="Stop"
              title="Stop"
              disabled={onStop === undefined}
              onClick={onStop}
              className="grid size-9 shrink-0 place-items-center rounded-full bg-raised hover:opacity-80 disabled:opacity-50"
            >
              <span aria-hidden="true" className="size-3 rounded-xs bg-ink" />
            </button>
          ) : (
            <button
              type="submit"
              aria-label="Send"
              title="Send"
              disabled={!can}
              className="grid size-9 shrink-0 place-items-center rounded-full bg-accent text-on-accent hover:opacity-90 disabled:cursor-not-allowed disabled:bg-raised disabled:text-soft"
            >
              <Icon of={ArrowUp} className="size-5" />
            </button>
          )}
        </div>
      </div>
    </form>
  );
}
