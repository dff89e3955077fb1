import { useEffect, useState } from "react";
import { Button, Choices, Field, Input, Select } from "../../kit/field.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { chooseTheme, chosenTheme, type Theme } from "../../kit/window.ts";
import { agentLabel, refresh, useFacts, useRead } from "../api/read.ts";
import { agentPath, remove, request, sendJson, useAct } from "../api/request.ts";
import { leave, signOut } from "../app/app.tsx";
import { Card, deviceZone, Loading, Modal, Page, Trouble, whenText } from "../kit/page.tsx";

/** Who one is here, and what one can do with all of it. */
export function AccountPage() {
  const facts = useFacts();
  const leaving = useAct();
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <Page
      title="Account"
      about={
        <>
          You are signed in as <bdi className="text-ink">{facts.user}</bdi>, with{" "}
          <bdi className="text-ink">{agentLabel(facts)}</bdi>.
        </>
      }
    >
      <div className="space-y-4">
        <TimeZone />
        <Card label="Colours">
          <h2 className="mb-3 font-semibold">Colours</h2>
          <Choices
            label="Colours"
            of={[
              ["system", "As on this device"],
              ["light", "Light"],
              ["dark", "Dark"],
            ]}
            chosen={theme}
            onChoose={(next) => {
              chooseTheme(next);
              setTheme(next);
            }}
          />
        </Card>
        <Card label="Sign out">
          <h2 className="mb-1 font-semibold">Sign out</h2>
          <p className="mb-3 text-sm text-soft">To come back you need a new link.</p>
          <div className="flex flex-wrap gap-2">
            <Button disabled={leaving.busy} onClick={() => leaving.run(() => signOut(false))}>
              Sign out
            </Button>
            <Button disabled={leaving.busy} onClick={() => leaving.run(() => signOut(true))}>
              Sign out everywhere
            </Button>
          </div>
          <Trouble problem={leaving.problem} />
        </Card>
        <Export />
        <Erase />
      </div>
    </Page>
  );
}

type Links = { readonly links: readonly { readonly channel: string; readonly address: string; readonly at: string }[] };
type Code = { readonly code: string; readonly expiresAt: string; readonly url?: string };

/** The same agent in Telegram: link a chat, and unlink it. */
export function TelegramPage() {
  const facts = useFacts();
  const path = agentPath(facts.agent.name, "links");
  const { data, problem } = useRead<Links>(path);
  const making = useAct();
  const [code, setCode] = useState<Code>();
  const links = data?.links ?? [];
  const known = links.length;
  // While a code is open somebody is about to send it.
  useEffect(() => {
    if (!code) return;
    const looking = setInterval(
      () => (Date.parse(code.expiresAt) > Date.now() ? refresh() : setCode(undefined)),
      2_000,
    );
    return () => clearInterval(looking);
  }, [code]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one more chat means that the code was used.
  useEffect(() => setCode(undefined), [known]);
  const make = async () => {
    setCode(await making.run(() => sendJson<Code>(path, { channel: "telegram" })));
  };
  return (
    <Page
      title="Telegram"
      about={`Talk with ${agentLabel(facts)} in Telegram too. It knows you there as it does here, and sends your reminders there.`}
    >
      <Trouble problem={problem} again={refresh} />
      {!data && !problem && <Loading />}
      <div className="space-y-4">
        {links.map((link) => (
          <LinkedChat key={link.address} path={path} {...link} />
        ))}
        {data && (
          <Card label="Link a chat">
            {code ? (
              <How {...code} />
            ) : (
              <>
                <p className="mb-3">{links.length === 0 ? "No chat is linked yet." : "You can link another chat."}</p>
                <Button kind={links.length === 0 ? "primary" : "plain"} disabled={making.busy} onClick={make}>
                  Link a chat
                </Button>
              </>
            )}
            <Trouble problem={making.problem} />
          </Card>
        )}
      </div>
    </Page>
  );
}

function LinkedChat({ path, channel, address, at }: { readonly path: string } & Links["links"][number]) {
  const { busy, problem, run } = useAct();
  const names = [channel, address].map(encodeURIComponent).join("/");
  return (
    <Card label="Linked chat">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <p className="font-medium">A chat is linked</p>
          <p className="text-sm text-soft">since {whenText(at)}</p>
        </div>
        <Button disabled={busy} onClick={() => run(() => remove(`${path}/${names}`))}>
          Unlink
        </Button>
      </div>
      <Trouble problem={problem} />
    </Card>
  );
}

function How({ code, expiresAt, url }: Code) {
  const opens = url?.startsWith("https://t.me/") ? url : undefined;
  return (
    <div className="space-y-3">
      {opens && (
        <p>
          <a
            href={opens}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex min-h-9 items-center rounded-md bg-accent px-3 font-medium text-on-accent text-sm"
          >
            Open Telegram
          </a>
        </p>
      )}
      <p>
        {opens ? "Or send this to the bot:" : "Send this to the bot:"}{" "}
        <code className="select-all rounded bg-raised px-2 py-1">/link {code}</code>
      </p>
      <p className="text-sm text-soft">It works once, until {whenText(expiresAt)}. This page shows when it is done.</p>
    </div>
  );
}

/** Whose clock reminders go by, and what the agent takes for “now”. */
function TimeZone() {
  const { zone } = useFacts();
  const here = deviceZone();
  const [chosen, setChosen] = useState(zone ?? "");
  const [told, setTold] = useState("");
  const { busy, problem, run } = useAct();
  const all = [...new Set([here, ...(zone === null ? [] : [zone]), ...Intl.supportedValuesOf("timeZone")])].sort();
  const save = async () => {
    setTold("");
    const body = { zone: chosen === "" ? null : chosen };
    if (await run(() => sendJson("/api/me", body, { method: "PATCH" }))) setTold("Saved.");
  };
  return (
    <Card label="Time zone">
      <h2 className="mb-3 font-semibold">Time zone</h2>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Your time zone" hint={`This device is in ${here}.`}>
          <Select value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value="">Not set</option>
            {all.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll("_", " ")}
              </option>
            ))}
          </Select>
        </Field>
        <div className="flex items-center gap-3">
          <Button type="submit" disabled={busy || chosen === (zone ?? "")}>
            Save
          </Button>
          <p role="status" className="text-good text-sm">
            {told}
          </p>
        </div>
        <Trouble problem={problem} />
      </form>
    </Card>
  );
}

/** All that is kept about this user, as a file. */
export function Export() {
  const { busy, problem, run } = useAct();
  const save = () =>
    run(async () => {
      const words = await (await request("/api/me/export")).text();
      saveFile(`my-data-${new Date().toISOString().slice(0, 10)}.json`, "application/json", words);
    });
  return (
    <Card label="Your data">
      <h2 className="mb-1 font-semibold">Your data</h2>
      <p className="mb-3 text-sm text-soft">
        Download everything that is kept about you here: conversations, instructions, notes and reminders, as one file.
      </p>
      <Button disabled={busy} onClick={save}>
        {busy ? "Preparing…" : "Download"}
      </Button>
      <Trouble problem={problem} />
    </Card>
  );
}

/** Deletes all that is kept about this user, after they have typed their name. */
export function Erase() {
  const { user } = useFacts();
  const { busy, problem, run, clear } = useAct();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const close = () => {
    setOpen(false);
    setTyped("");
    clear();
  };
  const erase = () =>
    run(async () => {
      await sendJson("/api/me/erase", { confirm: typed });
      leave();
    });
  return (
    <Card label="Delete everything">
      <h2 className="mb-1 font-semibold">Delete everything</h2>
      <p className="mb-3 text-sm text-soft">
        Deletes your conversations, instructions, notes, reminders and linked chats. This cannot be undone.
      </p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete everything…
      </Button>
      <Modal open={open} onClose={close} title="Delete everything permanently?">
        <form
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed === user) void erase();
          }}
        >
          <p className="text-sm text-soft">
            Everything that is kept about you is deleted, and you are signed out. Nobody can bring it back. You may want
            to download your data first.
          </p>
          <p className="text-sm [overflow-wrap:anywhere]">
            To confirm, type <strong className="select-all">{user}</strong>
          </p>
          <Field label="Your name here">
            <Input
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => setTyped(target.value)}
            />
          </Field>
          <Trouble problem={problem} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" kind="danger" disabled={busy || typed !== user}>
              Delete permanently
            </Button>
          </div>
        </form>
      </Modal>
    </Card>
  );
}
