import { Button } from "../../kit/field.tsx";
import { agentLabel, type PageFacts } from "../api/page-facts.ts";
import { useRead } from "../api/read.ts";
import { SigningIn } from "./signed-out.tsx";

/** Somebody is signed in, and opens a link: it may be somebody else's, sent to them to write under another name. */
export function AskFirst({ onStay, onUse }: { readonly onStay: () => void; readonly onUse: () => void }) {
  const { data, problem } = useRead<PageFacts>("/api/page");
  if (!data && !problem) return <SigningIn />;
  return (
    <main className="mx-auto flex min-h-full max-w-md flex-col justify-center px-6 py-16">
      <h1 className="font-semibold text-2xl tracking-tight">You are signed in already</h1>
      <p className="mt-3 text-soft [overflow-wrap:anywhere]">
        {data && (
          <>
            You are <bdi className="text-ink">{data.user}</bdi>, with <bdi className="text-ink">{agentLabel(data)}</bdi>
            .{" "}
          </>
        )}
        The link you opened may belong to somebody else. Use it only if you asked for it yourself.
      </p>
      <div className="mt-6 flex flex-wrap gap-2">
        <Button kind="primary" onClick={onStay}>
          Stay signed in
        </Button>
        <Button onClick={onUse}>Sign in with the link</Button>
      </div>
    </main>
  );
}
