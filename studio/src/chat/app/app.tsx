import { useEffect, useState } from "react";
import { ApiProblem } from "../../kit/door.ts";
import { dropDrafts } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { agentLabel, FactsProvider, follow, forgetAll, type PageFacts, refresh, useRead } from "../api/read.ts";
import { keepHalf, readHalf, sendJson, useHalf } from "../api/request.ts";
import { Trouble } from "../kit/page.tsx";
import { forgetTalks } from "../talk/talk.ts";
import { takeCode } from "./place.ts";
import { Shell } from "./shell.tsx";

/** Handing in a code; asking first where somebody is signed in; or what there is to tell of it. */
type Entering =
  | { readonly step: "in"; readonly told?: string | undefined }
  | { readonly step: "handing-in" | "asking"; readonly code: string };

/** Who has a session has the page; who has none learns how to get one. */
export function App({ code: brought }: { readonly code: string | undefined }) {
  const half = useHalf();
  const [entering, setEntering] = useState<Entering>(() => entry(brought));
  // A link opened where this page is open already only changes what stands behind the #.
  useEffect(() => {
    const opened = () => {
      const code = takeCode();
      if (code !== undefined) setEntering(entry(code));
    };
    addEventListener("hashchange", opened);
    return () => removeEventListener("hashchange", opened);
  }, []);
  const code = entering.step === "handing-in" ? entering.code : undefined;
  useEffect(() => {
    if (code === undefined) return;
    void handIn(code).then((told) => setEntering({ step: "in", told }));
  }, [code]);
  // A session that was over by itself keeps nobody.
  useEffect(() => {
    if (half === null) setEntering((one) => (one.step === "asking" ? { ...one, step: "handing-in" } : one));
  }, [half]);
  if (entering.step === "handing-in") return <SigningIn />;
  if (entering.step === "asking")
    return (
      <AskFirst
        onStay={() => setEntering({ step: "in" })}
        onUse={() => setEntering({ step: "handing-in", code: entering.code })}
      />
    );
  const told = entering.step === "in" ? entering.told : undefined;
  return half === null ? <SignedOut told={told} /> : <SignedIn key={half} told={told} />;
}

/** Whoever is signed in is asked first: a link somebody sent them may be another person's. */
function entry(code: string | undefined): Entering {
  if (code === undefined) return { step: "in" };
  return { step: readHalf() === null ? "handing-in" : "asking", code };
}

/** A code works once: however often it is asked for, it is handed in once. */
const handedIn = new Map<string, Promise<string | undefined>>();

function handIn(code: string): Promise<string | undefined> {
  const under = handedIn.get(code) ?? signIn(code);
  handedIn.set(code, under);
  return under;
}

function SignedIn({ told }: { readonly told: string | undefined }) {
  const { data, problem } = useRead<PageFacts>("/api/page");
  useEffect(() => {
    const ending = new AbortController();
    void follow(ending.signal);
    const seen = () => document.visibilityState === "visible" && refresh();
    document.addEventListener("visibilitychange", seen);
    return () => {
      ending.abort();
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
  if (data)
    return (
      <FactsProvider value={data}>
        <Shell told={told} />
      </FactsProvider>
    );
  if (!problem) return <SigningIn />;
  return (
    <main className="mx-auto max-w-md px-6 py-16">
      <h1 className="mb-3 font-semibold text-2xl tracking-tight">This page cannot be shown</h1>
      <Trouble problem={problem} again={refresh} />
    </main>
  );
}

/** Somebody is signed in, and opens a link: it may be somebody else's, sent to them to write under another name. */
function AskFirst({ onStay, onUse }: { readonly onStay: () => void; readonly onUse: () => void }) {
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

/** Without a session: how to get in. */
function SignedOut({ told }: { readonly told?: string | undefined }) {
  useEffect(() => {
    document.title = "Sign in";
  }, []);
  const { issuer } = document.documentElement.dataset;
  return (
    <main className="mx-auto flex min-h-full max-w-md flex-col justify-center px-6 py-16">
      <h1 className="font-semibold text-2xl tracking-tight">{issuer ? "Sign in" : "Sign in with a link"}</h1>
      {told && (
        <p role="alert" className="mt-3 rounded-xl border border-bad/40 bg-card px-4 py-3 text-sm text-bad">
          {told}
        </p>
      )}
      {issuer && (
        <p className="mt-3">
          <a href="/chat/oidc" className="text-accent underline">
            Sign in at {issuer}
          </a>
        </p>
      )}
      <p className="mt-3 text-soft">
        {issuer ? "Or with a link of your own." : "This page opens with a link of your own."} It works once, for ten
        minutes.
      </p>
      <ul className="mt-4 list-disc space-y-2 ps-5 text-soft marker:text-line">
        <li>
          If you chat with the assistant in Telegram, send it <code className="text-ink">/web</code>. It answers with a
          link.
        </li>
        <li>If not, ask the person who runs the assistant.</li>
      </ul>
    </main>
  );
}

function SigningIn() {
  return (
    <main className="grid min-h-full place-items-center">
      <h1 className="sr-only">Signing in</h1>
      <p role="status" className="text-soft">
        Signing you in…
      </p>
    </main>
  );
}

type SignInAnswer = { readonly half: string; readonly user: string; readonly agent: string };

/** Hands the code in. Nothing where it worked, or what to tell. */
export async function signIn(code: string): Promise<string | undefined> {
  try {
    const { half } = await sendJson<SignInAnswer>("/sign-in", { code });
    forgetAll();
    forgetTalks();
    keepHalf(half);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.status === 401) return "This link does not work any more: it was used, is too old, or is not complete.";
    if (error.status === 429) return "There were too many tries. Wait a minute, then open a new link.";
    return error.message;
  }
}

/** Ends this session, or all of this user's with this assistant. */
export async function signOut(everywhere: boolean): Promise<void> {
  await sendJson("/sign-out", everywhere ? { everywhere: true } : {});
  leave();
}

/** What was typed, read and said here is gone from this browser. */
export function leave(): void {
  keepHalf(null);
  forgetAll();
  forgetTalks();
  dropDrafts("chat");
  history.replaceState(null, "", location.pathname);
}
