const example = `{
  "local": { "base": "http://localhost:8000/v1", "model": "qwen3-32b" },
  "team": { "api": "anthropic", "model": "claude-opus-5-5", "key": "$TEAM_KEY" }
}`;

/** Where models are set: no key passes through this page. */
export function ModelHelp({ place, open }: { readonly place: string | undefined; readonly open: boolean }) {
  return (
    <details id="models-help" open={open} className="rounded-md border border-line bg-card px-3 py-2 text-sm">
      <summary className="cursor-pointer font-medium">Where models are set</summary>
      <div className="mt-2 space-y-2 text-soft">
        <p>
          Models and keys are set where the server runs, not on this page. A provider’s models need its key in the
          environment or in <code>.env</code>:
        </p>
        <ul className="list-disc pl-5 [overflow-wrap:anywhere]">
          <li>
            <code>ANTHROPIC_API_KEY</code> for <code>anthropic/…</code>
          </li>
          <li>
            <code>OPENAI_API_KEY</code> for <code>openai/…</code>
          </li>
          <li>
            <code>GEMINI_API_KEY</code> for <code>google/…</code>
          </li>
          <li>
            <code>OPENROUTER_API_KEY</code> for <code>openrouter/…</code>
          </li>
        </ul>
        <p>
          A model with an address or a key of its own is described in <code>models.json</code>, or under{" "}
          <code>models</code> in <code>charter.config.ts</code>:
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys. */}
        <pre tabIndex={0} className="overflow-x-auto rounded bg-raised p-2 font-mono text-ink text-xs">
          {example}
        </pre>
        <p>
          Restart the server afterwards. <code>charter doctor --models</code> tests them all. The page “Models” of the
          documentation (<code>docs/models.md</code>) has the rest.
        </p>
        {place !== undefined && <p className="sr-only">{place}</p>}
      </div>
    </details>
  );
}
