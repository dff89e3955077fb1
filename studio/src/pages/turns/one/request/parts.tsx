import { Badge } from "../../../../kit/icon.tsx";
import { LongText } from "../../../../kit/text/long-text.tsx";
import { Copy } from "../../../../kit/text-link.tsx";
import { count, plural } from "../../../../kit/words.ts";
import type { Folds } from "./folds.ts";
import { type Block, type MessagePart, sizeOf, type ToolPart } from "./transcript.ts";

const maxAtFirst = 800;
const frame = "min-w-0 overflow-hidden rounded-md border border-line";
const bar = "flex flex-wrap items-center gap-x-3 gap-y-1 bg-raised px-3 py-1.5 text-sm";
const code = "font-mono text-[0.8rem]";

/** A tool as the model was offered it: its name and what it says of itself; the schema of its arguments folded. */
export function ToolView({ part, folds }: { readonly part: ToolPart; readonly folds: Folds }) {
  const { key, name, description, schema } = part;
  const open = folds.isOpen(key);
  return (
    <section aria-label={`Tool ${name}`} className={frame}>
      <h5 className={bar}>
        <code className="font-medium [overflow-wrap:anywhere]">
          <bdi>{name}</bdi>
        </code>
        <span className="text-soft text-xs tabular-nums">{plural(sizeOf(part), "character")}</span>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => folds.setOpen(key, !open)}
          className="ml-auto font-medium text-accent text-xs underline"
        >
          {open ? "Hide the schema" : `Show the schema (${count(schema.length)} characters)`}
        </button>
      </h5>
      <div className="px-3 py-2 text-sm">
        {description !== "" && (
          <LongText
            text={description}
            max={maxAtFirst}
            open={folds.isOpen(`${key}.text`)}
            onOpen={(next) => folds.setOpen(`${key}.text`, next)}
          />
        )}
        {description === "" && <p className="text-soft">No description.</p>}
        {open && (
          <pre
            data-part={key}
            className={`mt-2 whitespace-pre-wrap border-line border-t pt-2 [overflow-wrap:anywhere] ${code}`}
          >
            {schema}
          </pre>
        )}
      </div>
    </section>
  );
}

/** A message of the conversation as it was sent: what was said, the calls, their results, the files. */
export function MessageView(props: { readonly part: MessagePart; readonly place: string; readonly folds: Folds }) {
  const { part, place, folds } = props;
  const { title, role, blocks, attachments, breakpoint } = part;
  return (
    <section aria-label={`${title}, ${place}`} className={frame}>
      <h5 className={`${bar} border-line border-b`}>
        <span className="font-medium">{title}</span>
        <span className="text-soft">{place}</span>
        <Badge>{role}</Badge>
        <span className="text-soft text-xs tabular-nums">{plural(sizeOf(part), "character")}</span>
        {breakpoint !== undefined && <span className="text-soft text-xs">{breakpoint}</span>}
      </h5>
      <div className="space-y-3 px-3 py-2 text-sm">
        {blocks.map((block) => (
          <BlockView key={block.key} block={block} folds={folds} />
        ))}
        {attachments.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they came in this order.
          <File key={index} of={one} />
        ))}
        {blocks.length + attachments.length === 0 && <p className="text-soft">No text.</p>}
      </div>
    </section>
  );
}

function BlockView({ block, folds }: { readonly block: Block; readonly folds: Folds }) {
  const { key, label, text, tone } = block;
  return (
    <div className="min-w-0">
      {label !== undefined && (
        <p className={`flex items-center gap-2 text-xs ${tone === "failed" ? "text-bad" : "text-soft"}`}>
          <bdi className="[overflow-wrap:anywhere]">{label}</bdi>
        </p>
      )}
      {text === "" ? (
        <p className="text-soft">No text.</p>
      ) : (
        <LongText
          text={text}
          max={maxAtFirst}
          className={tone === "said" ? "" : code}
          open={folds.isOpen(key)}
          onOpen={(open) => folds.setOpen(key, open)}
        />
      )}
    </div>
  );
}

const shownPictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** A picture as it was sent; of a file its name, kind and size. Its bytes are in the raw request. */
function File({ of }: { readonly of: MessagePart["attachments"][number] }) {
  const { name, mediaType, bytes, width, height, pages, data, digest } = of;
  const about = [
    mediaType,
    plural(bytes, "byte"),
    ...(width !== undefined && height !== undefined ? [`${count(width)} × ${count(height)} pixels`] : []),
    ...(pages === undefined ? [] : [plural(pages, "page")]),
  ];
  return (
    <figure className="min-w-0 rounded-md border border-line p-2">
      {data !== undefined && shownPictures.has(mediaType) && (
        <img
          src={`data:${mediaType};base64,${data}`}
          alt={name ?? "A picture that was sent"}
          className="mb-1 max-h-64 max-w-full rounded"
        />
      )}
      <figcaption className="flex flex-wrap items-center gap-x-2 text-xs">
        <bdi className="font-medium [overflow-wrap:anywhere]">{name ?? "No name"}</bdi>
        <span className="text-soft">{about.join(", ")}</span>
        <span className="ml-auto">
          <Copy text={digest} label="Copy digest" />
        </span>
      </figcaption>
    </figure>
  );
}
