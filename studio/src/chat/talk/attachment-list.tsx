import { File as Sheet, X } from "lucide-react";
import { Icon } from "../../kit/icon.tsx";
import { type Attachment, isPicture, pictureAddress, sizeText } from "./attachment.ts";

/** What goes with a message: pictures as they are, files by name. */
export function AttachmentList({
  of,
  onRemove,
}: {
  readonly of: readonly Attachment[];
  readonly onRemove?: (id: string) => void;
}) {
  if (of.length === 0) return null;
  return (
    <ul aria-label="Pictures and files" className="flex flex-wrap gap-2 p-1.5">
      {of.map((one) => (
        <li key={one.id} className="relative">
          {isPicture(one.mediaType) ? (
            <img
              src={pictureAddress(one)}
              alt={one.name}
              className="h-20 max-w-40 rounded-xl border border-line bg-raised object-cover"
            />
          ) : (
            <FileChip name={one.name} about={sizeText(one.bytes)} />
          )}
          {onRemove && (
            <button
              type="button"
              aria-label={`Remove ${one.name}`}
              onClick={() => onRemove(one.id)}
              className="absolute -top-1.5 -right-1.5 grid size-6 place-items-center rounded-full border border-line bg-card text-soft shadow-sm hover:text-ink"
            >
              <Icon of={X} className="size-3.5" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

export function FileChip({ name, about }: { readonly name: string; readonly about?: string | undefined }) {
  return (
    <span className="flex max-w-56 items-center gap-2 rounded-xl border border-line bg-card py-2 ps-3 pe-5 text-sm">
      <Icon of={Sheet} className="size-5 text-soft" />
      <span className="min-w-0">
        <bdi className="block truncate">{name}</bdi>
        {about && <span className="block text-soft text-xs">{about}</span>}
      </span>
    </span>
  );
}
