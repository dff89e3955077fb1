import type { TurnAnswer } from "charter/answers";
import { useEffect, useState } from "react";
import { useSeen } from "../../kit/window.ts";
import { useFacts } from "../api/page-facts.ts";
import { agentPath, request } from "../api/request.ts";
import { isPicture, sizeText } from "./attachment.ts";
import { FileChip } from "./attachment-list.tsx";

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
