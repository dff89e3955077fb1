import { spawn } from "node:child_process";
import { once } from "node:events";
import { signInLink } from "../../../src/operations/users/tokens.ts";
import { cookieName } from "../../../src/server/auth/find-caller.ts";
import { sql } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { bareEnvironment, command } from "../../cli.ts";
import { askAt } from "../opened.ts";

/** Two servers on one database: streams are open at one, and whoever reads them is shut out at the other. */
export type Servers = {
  readonly store: Store;
  readonly database: string;
  readonly streaming: string;
  readonly revoking: string;
  /** Of an operator whom nobody shuts out. */
  readonly operator: string;
};

export type Guest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: "operator" | "user";
  /** Gives the moment from which on they should hear no more. */
  readonly shutOut: () => Promise<number>;
};

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** Counted from before it was asked for: it is a little stricter than has to be. */
async function ask(url: string, request: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const at = Date.now();
  const { status, text } = await askAt(url, undefined)(request, undefined, headers);
  if (status !== 200) throw new Error(`${request}: ${status} ${text}`);
  return at;
}

async function newToken({ store }: Servers, kind: Guest["kind"], user: string, expiresAt?: string) {
  const whose = kind === "user" ? { user } : {};
  return store.tokens.create({ name: user, kind, ...whose, ...(expiresAt === undefined ? {} : { expiresAt }) });
}

/** Every way to be shut out, by someone else or by the clock; those that differ most come first. */
export const ways: Readonly<Record<string, (servers: Servers, user: string) => Promise<Guest>>> = {
  "an operator's token is revoked": async (servers, user) => {
    const { id, secret } = await newToken(servers, "operator", user);
    const shutOut = () => ask(servers.revoking, `DELETE /api/tokens/${id}`, bearer(servers.operator));
    return { headers: bearer(secret), kind: "operator", shutOut };
  },
  "a user is erased": async (servers, user) => {
    const { secret } = await newToken(servers, "user", user);
    const shutOut = () => ask(servers.revoking, `DELETE /api/users/${user}`, bearer(servers.operator));
    return { headers: bearer(secret), kind: "user", shutOut };
  },
  "charter tokens revoke": async (servers, user) => {
    const { id, secret } = await newToken(servers, "operator", user);
    const shutOut = async () => {
      const args = [command, "tokens", "revoke", id, "--database", servers.database];
      const [code] = await once(spawn(process.execPath, args, { env: bareEnvironment(), stdio: "ignore" }), "close");
      if (code !== 0) throw new Error(`charter tokens revoke ended with ${code}.`);
      return Date.now();
    };
    return { headers: bearer(secret), kind: "operator", shutOut };
  },
  "a user's token is revoked": async (servers, user) => {
    const { id, secret } = await newToken(servers, "user", user);
    const shutOut = () => ask(servers.revoking, `DELETE /api/tokens/${id}`, bearer(servers.operator));
    return { headers: bearer(secret), kind: "user", shutOut };
  },
  "an operator signs out": async ({ store, streaming, revoking }) => {
    const own = (url: string) => ({ origin: url, "x-charter-csrf": "1" });
    const body = JSON.stringify({ code: (await signInLink(store, streaming)).split("#")[1] });
    const answer = await fetch(`${streaming}/sign-in`, { method: "POST", headers: own(streaming), body });
    const secret = /=([^;]*)/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
    const signedIn = (url: string) => ({ ...own(url), cookie: `${cookieName("session", url)}=${secret}` });
    const shutOut = () => ask(revoking, "POST /sign-out", signedIn(revoking));
    return { headers: signedIn(streaming), kind: "operator", shutOut };
  },
  "a token is over": async (servers, user) => {
    const { id, secret } = await newToken(servers, "operator", user);
    const { home } = servers.store;
    const shutOut = async () => {
      const end = Date.now() + 300;
      const at = new Date(end).toISOString();
      await home.write("everything", (db) => db.run(sql`update tokens set expires_at = ${at} where id = ${id}`));
      return end;
    };
    return { headers: bearer(secret), kind: "operator", shutOut };
  },
};
