import { describe, expect, test } from "vitest";
import { type Chat, headersOf, own, signIn } from "../chat/chat-stage.ts";
import { chatCallers, expectedAtChat, whoMay } from "../who-may.ts";
import { type Asked, askWith, canary, requestsFor, secrets, served, stageIsolation } from "./isolation-stage.ts";

stageIsolation();

describe("the same routes at the page for users answer its users alone", () => {
  /** Sessions are taken anew for each route: the last one may have ended them. */
  const atChat = async () => {
    const bos = await signIn(served, { user: "bo", agent: "ada" });
    const session = (secret: string) => secret.split("=")[1] as string;
    const operators = secrets.get("operator's") as string;
    const all: Record<(typeof chatCallers)[number], Record<string, string>> = {
      nobody: own,
      "the operator's token": { ...own, authorization: `Bearer ${operators}` },
      "the operator's cookie": { ...own, cookie: `charter_session=${operators}` },
      "the operator's cookie, with a half": { ...headersOf(bos), cookie: `charter_session=${operators}` },
      "the operator's secret as the cookie": { ...headersOf(bos), cookie: `charter_chat=${operators}` },
      "the user's token": { ...own, authorization: `Bearer ${secrets.get("the user's")}` },
      "JWT of the user": { ...own, authorization: `Bearer ${secrets.get("JWT of the user")}` },
      "the cookie without its half": { ...own, cookie: bos.cookie },
      "the half without its cookie": { ...own, "x-charter-half": bos.half },
      "the session as a token": { ...own, authorization: `Bearer ${session(bos.cookie)}.${bos.half}` },
      "another user's session": headersOf(await signIn(served, { user: "cy", agent: "ada" })),
      "the user's session with another agent": headersOf(await signIn(served, { user: "bo", agent: "eve" })),
      "the user's session": headersOf(bos),
    };
    return { all, bos };
  };
  for (const [route, who] of Object.entries(whoMay))
    test(`${route.replace(" /", " /chat/")}: ${who}`, async () => {
      const { all, bos } = await atChat();
      const answers: [string, number][] = [];
      const request = requestsFor(route);
      for (const caller of chatCallers) {
        const [method, path, body] = await request.next();
        const { status, text } = await askWith(all[caller], [method, `/chat${path}`, body]);
        request.answered(status);
        answers.push([caller, status >= 200 && status < 300 ? 200 : status]);
        if (caller !== "the user's session") expect([caller, text.includes(canary)]).toEqual([caller, false]);
        expect([caller, operatorsIn(text)]).toEqual([caller, null]);
      }
      expect(answers).toEqual(chatCallers.map((caller) => [caller, expectedAtChat(who, caller)]));
      await expectNothingAtApi(bos, await request.next());
    });

  async function expectNothingAtApi(chat: Chat, asked: Asked): Promise<void> {
    const { status } = await askWith(headersOf(chat), asked);
    expect(["at /api", status]).toEqual(["at /api", 401]);
  }
});

/** What a model is called, what it costs and who runs it: in no answer to users. */
const operators =
  /gpt-5|"(?:cost|usage|micros|price|quote|receiver|model|fallbacks|runner|leasedUntil|settings|charter|rendered|layer|owner|slots?|baseline|definition|server)":/;

function operatorsIn(text: string): string | null {
  return operators.exec(text)?.[0] ?? null;
}
