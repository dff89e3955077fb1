import type { TurnAnswer } from "charter/answers";
import { File as Sheet, X } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { Icon } from "../../kit/icon.tsx";
import { useSeen } from "../../kit/window.ts";
import { plural } from "../../kit/words.ts";
import { type FileLimits, useFacts } from "../api/read.ts";
import { agentPath, request } from "../api/request.ts";

/** A picture or file that goes with the next message. `file` is its bytes in base64, as they are sent. */
export type Attachment = {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly file: string;
};

/** A part of a message, as the server takes it. */
export type InputPart =
  | { readonly text: string }
  | { readonly file: string; readonly mediaType: string; readonly name: string; readonly picked: true };

/** Words alone stay a text; with files it is a list. */
export function inputOf(text: string, files: readonly Attachment[]): string | readonly InputPart[] {
  if (files.length === 0) return text;
  const parts = files.map(({ file, mediaType, name }) => ({ file, mediaType, name, picked: true as const }));
  return text === "" ? parts : [{ text }, ...parts];
}

/** All files of a message together: a request has a limit too. */
const maxTotal = 12_000_000;

/** Why a file cannot be sent, told before anything is sent. */
export function objection(
  file: { readonly name: string; readonly type: string; readonly size: number },
  limits: FileLimits,
  already: readonly { readonly size: number }[],
): string | undefined {
  if (already.length >= limits.maxCount)
    return `A message can have ${plural(limits.maxCount, "file")}. “${file.name}” was left out.`;
  if (!limits.kinds.some((kind) => matches(kind, file.type)))
    return `“${file.name}” cannot be sent. These can: ${limits.kinds.map(kindName).join(", ")}.`;
  if (file.size > limits.maxBytes) return `“${file.name}” is too large: the limit is ${sizeText(limits.maxBytes)}.`;
  if (already.reduce((sum, { size }) => sum + size, file.size) > maxTotal)
    return `The files of a message can have ${sizeText(maxTotal)} together. “${file.name}” was left out.`;
  return file.size === 0 ? `“${file.name}” is empty.` : undefined;
}

function matches(kind: string, type: string): boolean {
  return kind.endsWith("/*") ? type.startsWith(kind.slice(0, -1)) : kind === type;
}

/** “image/png” as people say it: “PNG”. */
function kindName(kind: string): string {
  const name = (kind.split("/")[1] ?? kind).replace(/\+.*$/, "");
  return kind.endsWith("/*") ? `${kind.slice(0, -2)} files` : name === "plain" ? "plain text" : name.toUpperCase();
}

export function sizeText(bytes: number): string {
  if (bytes >= 1_000_000) return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
  return `${Math.max(1, Math.round(bytes / 1000))} KB`;
}

export const isPicture = (mediaType: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);

/** What a browser draws in an `img`, which runs nothing. */
const pictureAddress = ({ mediaType, file }: Pick<Attachment, "mediaType" | "file">): string =>
  `data:${mediaType};base64,${file}`;

let count = 0;

async function readAttachment(file: File): Promise<Attachment> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  const { name, type: mediaType, size: bytes } = file;
  return { id: `file-${++count}`, name, mediaType, bytes, file: address.slice(address.indexOf(",") + 1) };
}

type AttachmentListProps = { readonly of: readonly Attachment[]; readonly onRemove?: (id: string) => void };

/** What goes with a message: pictures as they are, files by name. */
export function AttachmentList({ of, onRemove }: AttachmentListProps) {
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

function FileChip({ name, about }: { readonly name: string; readonly about?: string | undefined }) {
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

/** A picture or file of a message that is on record. */
type SentFile = {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly name?: string | undefined;
};

/** What went with a message: pictures as they are, when they are looked at; files by name, to be saved. */
export function SentFiles({ turn }: { readonly turn: TurnAnswer }) {
  const files = (turn as { readonly attachments?: readonly SentFile[] }).attachments ?? [];
  if (files.length === 0) return null;
  return (
    <ul aria-label="Pictures and files" className="flex flex-wrap justify-end gap-2">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was sent stays as it was.
        <li key={index}>{isPicture(file.mediaType) ? <Picture of={file} /> : <SavedFile of={file} />}</li>
      ))}
    </ul>
  );
}

/** The server wants both halves of a session, which an `img` alone does not send. */
async function load(agent: string, { digest, mediaType }: SentFile): Promise<string> {
  const answer = await request(agentPath(agent, "attachments", digest), { accept: "*/*" });
  return URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type: mediaType }));
}

function Picture({ of }: { readonly of: SentFile }) {
  const { agent } = useFacts();
  const [thing, seen] = useSeen<HTMLSpanElement>();
  const [address, setAddress] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a digest says which picture it is.
  useEffect(() => {
    if (!seen) return;
    let made: string | undefined;
    let gone = false;
    load(agent.name, of).then(
      (one) => {
        made = one;
        if (gone) URL.revokeObjectURL(one);
        else setAddress(one);
      },
      () => {},
    );
    return () => {
      gone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [seen, agent.name, of.digest]);
  return (
    <span ref={thing} className="block">
      {address === undefined ? (
        <FileChip name={of.name ?? "Picture"} about={sizeText(of.bytes)} />
      ) : (
        <img
          src={address}
          alt={of.name ?? "Picture"}
          className="max-h-60 max-w-full rounded-2xl border border-line bg-raised object-contain"
        />
      )}
    </span>
  );
}

function SavedFile({ of }: { readonly of: SentFile }) {
  const { agent } = useFacts();
  const name = of.name ?? "File";
  const save = async () => {
    const address = await load(agent.name, { ...of, mediaType: "application/octet-stream" });
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  return (
    <button
      type="button"
      aria-label={`Save ${name}`}
      onClick={() => void save().catch(() => {})}
      className="text-start"
    >
      <FileChip name={name} about={sizeText(of.bytes)} />
    </button>
  );
}

/** The pictures and files of the next message, and why some were left out. */
export function useAttachments(limits: FileLimits | null) {
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [objections, setObjections] = useState<readonly string[]>([]);
  const add = useCallback(
    async (chosen: readonly File[]) => {
      if (!limits || chosen.length === 0) return;
      const taken: File[] = [];
      const against: string[] = [];
      for (const file of chosen) {
        const why = objection(file, limits, [...files.map(({ bytes }) => ({ size: bytes })), ...taken]);
        if (why === undefined) taken.push(file);
        else against.push(why);
      }
      setObjections(against);
      const read = await Promise.all(taken.map(readAttachment));
      setFiles((before) => [...before, ...read].slice(0, limits.maxCount));
    },
    [limits, files],
  );
  const remove = useCallback((id: string) => setFiles((before) => before.filter((one) => one.id !== id)), []);
  const clear = useCallback(() => {
    setFiles([]);
    setObjections([]);
  }, []);
  return { files, objections, add, remove, clear };
}
