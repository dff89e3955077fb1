import { useEffect } from "react";

/** Without a session: how to get in. */
export function SignedOut({ told }: { readonly told?: string | undefined }) {
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

export function SigningIn() {
  return (
    <main className="grid min-h-full place-items-center">
      <h1 className="sr-only">Signing in</h1>
      <p role="status" className="text-soft">
        Signing you in…
      </p>
    </main>
  );
}
