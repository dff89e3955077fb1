import { agentLabel, useFacts } from "../api/page-facts.ts";

const tries = [
  "What can you do for me?",
  "Always answer in short sentences.",
  "Remember that my sister is called Ida.",
  "Remind me tomorrow at 9 to water the plants.",
];

/** Before the first word. */
export function Welcome({ onTry }: { readonly onTry: (text: string) => void }) {
  return (
    <div className="flex flex-1 flex-col justify-center py-8 text-center">
      <h1 className="font-semibold text-2xl tracking-tight [overflow-wrap:anywhere] sm:text-3xl">
        Hello. I am <bdi>{agentLabel(useFacts())}</bdi>.
      </h1>
      <p className="mt-2 text-soft">How can I help you?</p>
      <ul className="mx-auto mt-8 grid w-full max-w-lg gap-2 sm:grid-cols-2">
        {tries.map((text) => (
          <li key={text}>
            <button
              type="button"
              onClick={() => onTry(text)}
              className="h-full w-full rounded-2xl border border-line bg-card px-4 py-3 text-start text-sm text-soft hover:border-accent hover:text-ink"
            >
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
