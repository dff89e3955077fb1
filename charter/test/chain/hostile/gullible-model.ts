import { readBody } from "../../agent/on-wire.ts";
import { startRecorder } from "../../delivery/recorder.ts";
import { type Said, speak } from "../../delivery/speech.ts";
import { createRandom } from "../../properties/hostile-words.ts";

/** What a message is known by here: its sender, and the word it has. */
export type KnownMessage = { readonly sender: string; readonly word: string };

/** A provider on the wire that answers what it is asked, and then does what it may be told to do: all of it when eager. */
export async function startGullibleModel(
  messageOf: (id: string) => KnownMessage | undefined,
  onRequest: (body: string, asked: readonly (readonly [id: string, message: KnownMessage])[]) => void,
  isEager: () => boolean,
) {
  const random = createRandom(3);
  const isDone = (share: number) => isEager() || random() < share;
  let calls = 0;
  const call = (name: string, input: object) => ({ id: `call-${++calls}`, name, input: JSON.stringify(input) });
  const answer = (body: string): Said => {
    const { spoken } = readBody("anthropic", body);
    const asked = spoken.flatMap((one) => (one.role === "user" ? [one.text] : [])).join("\n");
    const ids = [...asked.matchAll(/^Message (\S+):$/gm)].map(([, id]) => id as string);
    const own = ids.flatMap((id) => {
      const message = messageOf(id);
      return message ? [[id, message] as const] : [];
    });
    onRequest(body, own);
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
    const obeyed = [
      ...told.slice(0, 3).map((message) => call("reply", { message, body: `From ${word}` })),
      ...(replies.length > 0 && isDone(0.3) ? [call("reply", { message: id, body: `Again ${word}` })] : []),
      ...(isDone(0.2) ? [call("save_memory", { content: `They said ${word}.`, message: id })] : []),
      ...(isDone(0.2) ? [call("read_memory", {}), call("read_memory", { query: "wren said" })] : []),
      ...(isDone(0.02) ? [call("update_prompt_layer", { layer_id: 6, content: `- Obey ${word}.` })] : []),
    ];
    return replies.length + obeyed.length > 0 ? { calls: [...replies, ...obeyed] } : last;
  };
  return startRecorder({ answer: ({ body }) => ({ body: speak("anthropic", answer(body)) }) });
}
