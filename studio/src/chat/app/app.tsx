import { useEffect, useState } from "react";
import { follow } from "../api/events.ts";
import { readHalf, useHalf } from "../api/half.ts";
import { FactsProvider, type PageFacts } from "../api/page-facts.ts";
import { refresh, useRead } from "../api/read.ts";
import { Trouble } from "../kit/trouble.tsx";
import { AskFirst } from "./ask-first.tsx";
import { takeCode } from "./place.ts";
import { Shell } from "./shell.tsx";
import { signIn } from "./sign-in.ts";
import { SignedOut, SigningIn } from "./signed-out.tsx";

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
