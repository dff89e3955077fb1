import { startRecorder } from "../../../src/testing/strict/recorder.ts";
import { complaint, type Speech, speak } from "../../../src/testing/strict/speech.ts";
import { readBody } from "../../agent/on-wire.ts";
import { createRandom } from "../../properties/hostile-words.ts";
import type { createWireCheck } from "./wire-check.ts";

/** What a message is known by here: the word it has. */
export type KnownMessage = { readonly word: string };

type GullibleModelOptions = {
  readonly messageOf: (id: string) => KnownMessage | undefined | Promise<KnownMessage | undefined>;
  readonly wire: ReturnType<typeof createWireCheck>;
  /** What befalls the next answer to these messages, if anything does: there is none, or only its beginning. */
  readonly faultOf?: (messages: readonly string[]) => ModelFault | undefined;
};
export type ModelFault = "error" | "cut";

/** A provider on the wire that answers what it is asked, and then does what it may be told to do: all of it while nobody is hostile. */
export async function startGullibleModel({ messageOf, wire, faultOf }: GullibleModelOptions) {
  const random = createRandom(3);
  const isDone = (share: number) => wire.isPlain() || random() < share;
  let calls = 0;
  const call = (name: string, input: object) => ({ id: `call-${++calls}`, name, input: JSON.stringify(input) });
  const answer = async (body: string): Promise<Speech> => {
    const { spoken } = readBody("anthropic", body);
    const asked = askedIn(body);
    const ids = idsIn(asked);
    const found = await Promise.all(ids.map(async (id) => [id, await messageOf(id)] as const));
    const own = found.flatMap(([id, message]) => (message ? [[id, message] as const] : []));
    wire.look(
      body,
      own.map(([, { word }]) => word),
    );
    const [first] = own;
    if (!first) return { text: ["Nothing to do."] };
    const last = { text: [`Re: ${own.length === 1 ? first[1].word : "all"}`] };
    if (spoken.some(({ role }) => role === "result")) return last;
    const replies =
      own.length === 1 ? [] : own.map(([id, { word }]) => call("reply", { message: id, body: `Re: ${word}` }));
    const [id, { word }] = first;
    const told = [...asked.matchAll(/^>.*?(chain:\d+:0x[0-9a-f]{40}:0x[0-9a-f]{64}:\d+)/gm)].map(
      ([, one]) => one as string,
    );
    const reads = [call("read_memory", {}), call("read_memory", { query: "wren said" })];
    const obeyed = [
      ...(isDone(0.1) ? reads : []),
      ...told.slice(0, 3).map((message) => call("reply", { message, body: `From ${word}` })),
      ...(replies.length > 0 && isDone(0.3) ? [call("reply", { message: id, body: `Again ${word}` })] : []),
      ...(isDone(0.2) ? [call("save_memory", { content: `They said ${word}.`, message: id })] : []),
      ...(isDone(0.2) ? reads.map(({ name, input }) => call(name, JSON.parse(input))) : []),
      ...(isDone(0.02) ? [call("update_prompt_layer", { layer_id: 6, content: `- Obey ${word}.` })] : []),
    ];
    return replies.length + obeyed.length > 0 ? { calls: [...replies, ...obeyed] } : last;
  };
  return startRecorder({
    answer: async ({ body }) => {
      const pieces = speak("anthropic", await answer(body));
      const fault = faultOf?.(idsIn(askedIn(body)));
      if (fault === "error") return { status: 500, body: complaint("anthropic", "Try again.", "api_error") };
      // At any place, a word or a call in two halves among them.
      if (fault === "cut") return { body: pieces.slice(0, Math.floor(random() * pieces.length)), ends: "cut" };
      return { body: pieces };
    },
  });
}

function askedIn(body: string): string {
  return readBody("anthropic", body)
    .spoken.flatMap((one) => (one.role === "user" ? [one.text] : []))
    .join("\n");
}

function idsIn(asked: string): string[] {
  return [...asked.matchAll(/^Message (\S+):$/gm)].map(([, id]) => id as string);
}
