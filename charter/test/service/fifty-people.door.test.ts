import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scripted } from "../agent/model.ts";
import { noBrowser, openContext } from "../browser.ts";
import { newPlace, type Place } from "../homes.ts";
import { openService, type Service } from "./opened.ts";

/** What is used of oidc-provider, which brings no types. */
type Provider = {
  readonly callback: () => (request: IncomingMessage, response: ServerResponse) => void;
  readonly interactionFinished: (request: IncomingMessage, response: ServerResponse, result: object) => Promise<void>;
};
type ProviderContext = {
  readonly oidc: {
    readonly provider: {
      readonly Grant: new (about: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
};

let place: Place;
let service: Service;
let server: Server;
let provider: Provider;
const client = { client_id: "charter", client_secret: "a secret that both know" };

/** A real issuer. Whoever comes says who they are in a header, as others would with a password. */
async function createProvider(issuer: string): Promise<Provider> {
  const name: string = "oidc-provider";
  const { default: Provider } = (await import(name)) as { default: new (issuer: string, about: object) => Provider };
  const doors = ["/chat/oidc/return", "/oidc/return"];
  return new Provider(issuer, {
    clients: [{ ...client, redirect_uris: doors.map((door) => `${service.url}${door}`) }],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => "/interaction" },
    cookies: { keys: ["one"] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: async ({ oidc }: ProviderContext) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid");
      await grant.save();
      return grant;
    },
  });
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const login = { accountId: request.headers["x-person"] as string };
    if (request.url?.startsWith("/interaction")) void provider.interactionFinished(request, response, { login });
    else provider.callback()(request, response);
  });
  await once(server.listen(0, "localhost"), "listening");
  // Another site than the service: a strict cookie does not come along from there.
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  place = await newPlace("sqlite");
  const oidc = { issuer, clientId: client.client_id, clientSecret: client.client_secret, operators: ["olga-1"] };
  service = await openService(place, { model: scripted(["Fine."]), config: { oidc } });
  provider = await createProvider(issuer);
});
afterAll(async () => {
  await service.close();
  await service.store.close();
  server.closeAllConnections();
  server.close();
  await place.remove();
});

/** What a page is told to do next. */
type Stepped = { readonly url: string; readonly error?: { readonly code: string } };

/** A browser as far as this needs one: it keeps cookies for each server, and follows what pages and servers say. */
function newBrowser(person: string) {
  const jars = new Map<string, Map<string, string>>();
  const send = async (url: string, init: RequestInit = {}) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), "x-person": person, cookie };
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    return answer;
  };
  const own = { "content-type": "application/json", "x-charter-csrf": "1", origin: service.url };
  /** What the page at this address does with it. */
  const step = async (url: string): Promise<Stepped> => {
    const { pathname, hash, search } = new URL(url);
    const body = JSON.stringify({ code: hash.slice(1), query: search });
    const answer = await send(`${service.url}${pathname}`, { method: "POST", headers: own, body });
    return (await answer.json()) as Stepped;
  };
  /** Through the issuer, until it sends the browser back. */
  const away = async (url: string) => {
    let at = url;
    for (let hops = 0; hops < 10 && !at.startsWith(service.url); hops++) {
      const next = (await send(at)).headers.get("location");
      if (next === null) throw new Error(`${at} leads nowhere.`);
      at = new URL(next, at).href;
    }
    return at;
  };
  return {
    send,
    own,
    signIn: async (start: string) => step(await away((await step(start)).url)),
  };
}

/** From an address to the answer to a first message. */
async function firstMessage(person: string, start: string) {
  const browser = newBrowser(person);
  const { url } = await browser.signIn(start);
  const code = new URL(url, service.url).hash.slice(1);
  const post = { method: "POST", headers: browser.own };
  const signIn = await browser.send(`${service.url}/chat/sign-in`, { ...post, body: JSON.stringify({ code }) });
  const { half, user, agent } = (await signIn.json()) as Record<string, string>;
  const said = await browser.send(`${service.url}/chat/api/agents/${agent}/turns`, {
    ...post,
    headers: { ...browser.own, "x-charter-half": half as string },
    body: JSON.stringify({ input: "Hello." }),
  });
  return [said.status, user, ((await said.json()) as { reply?: string }).reply];
}

test("fifty people come from their invitations by a real issuer to a first message; the next day without one", async () => {
  const people = Array.from({ length: 50 }, (_, at) => ({ user: `person-${at + 1}`, agent: "ada" }));
  const { made } = await service.store.invitations.create(people);
  for (const [at, { secret, user }] of made.entries())
    expect(await firstMessage(`sub-${at + 1}`, `${service.url}/chat/invitation#${secret}`)).toEqual([
      200,
      user,
      "Fine.",
    ]);
  expect((await service.store.identities.list({ limit: 100 })).length).toBe(50);
  for (const at of [1, 25, 50])
    expect(await firstMessage(`sub-${at}`, `${service.url}/chat/oidc`)).toEqual([200, `person-${at}`, "Fine."]);
});

test("whoever the issuer knows and nobody here does is told so; an operator is, by the list", async () => {
  const stranger = await newBrowser("person-1").signIn(`${service.url}/chat/oidc`);
  expect(stranger.error?.code).toBe("unknown-person");
  expect((await newBrowser("sub-1").signIn(`${service.url}/oidc`)).error?.code).toBe("unknown-person");
  expect((await newBrowser("olga-1").signIn(`${service.url}/oidc`)).url).toMatch(/^\/sign-in#charter_/);
});

describe.skipIf(noBrowser)("in a browser, with the issuer on another site", () => {
  /** Whoever signs in at the issuer in this browser. */
  const browserOf = async (person: string) => {
    const context = await openContext();
    await context.setExtraHTTPHeaders({ "x-person": person });
    return context;
  };

  test("an invitation is accepted by a click, and the page opens; the issuer's way back stays shut to another browser", async () => {
    const [invitation] = (await service.store.invitations.create([{ user: "zoe", agent: "ada" }])).made;
    const context = await browserOf("sub-zoe");
    const page = await context.newPage();
    await page.goto(`${service.url}/chat/invitation#${invitation?.secret}`);
    expect(new URL(page.url()).hash).toBe("");
    expect(await service.store.invitations.list({ user: "zoe" })).toMatchObject([{ state: "open" }]);
    const returned = page.waitForRequest((asked) => asked.url().includes("/chat/oidc/return?"));
    await page.getByRole("button", { name: "Accept" }).click();
    const back = (await returned).url();
    await page.waitForURL((url) => url.pathname === "/chat");
    await expect.poll(() => service.store.identities.list({ user: "zoe" })).toMatchObject([{ subject: "sub-zoe" }]);
    await expect
      .poll(async () => (await service.store.tokens.list()).some(({ kind, user }) => kind === "chat" && user === "zoe"))
      .toBe(true);
    await context.close();

    const other = await browserOf("sub-eve");
    const stranger = await other.newPage();
    await stranger.goto(back);
    await stranger.getByText("This sign-in was not begun in this browser").waitFor();
    await other.close();
  });

  test("who is known signs in from the page by its link, who is not is told what to do; an operator gets to the studio", async () => {
    const known = await browserOf("sub-1");
    const page = await known.newPage();
    await page.goto(`${service.url}/chat`);
    await page.getByRole("link", { name: /^Sign in at localhost/ }).click();
    await page.waitForURL((url) => url.pathname === "/chat");
    await page.getByRole("link", { name: /^Sign in at/ }).waitFor({ state: "detached" });
    await known.close();

    const unknown = await browserOf("nobody");
    const told = await unknown.newPage();
    await told.goto(`${service.url}/chat/oidc`);
    await told.getByText("nobody here is known by that. If you were invited, open your invitation").waitFor();
    await expect.poll(() => told.getByRole("link", { name: "Start again" }).getAttribute("href")).toBe("/chat/oidc");
    await unknown.close();

    const operator = await browserOf("olga-1");
    const studio = await operator.newPage();
    await studio.goto(`${service.url}/sign-in`);
    await studio.getByRole("link", { name: /^Sign in at localhost/ }).click();
    await studio.waitForURL((url) => url.pathname === "/");
    await operator.close();
  });
});
