import { useState } from "react";
import { useLocation } from "wouter";
import { encodeName, getJson, request, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { housePlaceOf, useAsked } from "../../app/place.ts";
import { Button, Choices, Field, Input } from "../../kit/field.tsx";
import { Dialog, Menu, MenuItem, MenuLine } from "../../kit/menu.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { Copy } from "../../kit/text-link.tsx";

type ActsProps = { readonly user: string; readonly agent: string | undefined; readonly agents: readonly string[] };
type Made = { readonly title: string; readonly words: string; readonly about: string };

/** What can be done about a person. What is made is shown once. */
export function Acts({ user, agent, agents }: ActsProps) {
  const [asked, setAsked] = useAsked();
  const [, go] = useLocation();
  const [made, setMade] = useState<Made>();
  const { problem, run } = useAct();
  const make = async (title: string, about: string, path: string, body: object) => {
    const answer = await run(() => sendJson<Record<string, unknown>>(path, body));
    if (answer) setMade({ title, about, words: linkIn(answer) });
  };
  const save = () =>
    run(async () => {
      const kept = await getJson<unknown>(`/users/${encodeName(user)}/export`);
      saveFile(`${user.replaceAll(/[^\w-]/g, "_")}.json`, "application/json", JSON.stringify(kept, null, 2));
    });
  const at = agent === undefined ? undefined : `/agents/${encodeName(agent)}`;
  const named = { name: `${user} with ${agent}`, kind: "user", user, agent };
  const ways: readonly (readonly [words: string, title: string, about: string, path: string, body: object])[] = [
    [
      `Sign-in link for ${agent}`,
      "Sign-in link",
      `Signs ${user} in with ${agent}, once, within ten minutes.`,
      `${at}/sign-in-links`,
      { user },
    ],
    [
      `Invite to ${agent}`,
      "Invitation",
      `Lets ${user} come to ${agent}, once, within seven days.`,
      `${at}/invitations`,
      { people: [{ user }], again: true },
    ],
    ["Token for the API", "Token", `Opens the API as ${user} with ${agent}. It is shown this once.`, "/tokens", named],
  ];
  return (
    <>
      <Button onClick={save}>Export</Button>
      <Button kind="danger" onClick={() => setAsked({ erase: "all" }, { replace: false })}>
        Erase…
      </Button>
      <Menu label={`More about ${user}`}>
        {at && (
          <>
            {ways.map(([words, title, about, path, body]) => (
              <MenuItem key={title} onChoose={() => make(title, about, path, body)}>
                {words}
              </MenuItem>
            ))}
            <MenuItem onChoose={() => go(housePlaceOf("people", user, { chat: agent, as: user }))}>
              Chat as {user}
            </MenuItem>
            <MenuLine />
          </>
        )}
        <MenuItem onChoose={() => go(housePlaceOf("approvals", undefined, { user }))}>Their approvals</MenuItem>
      </Menu>
      <Trouble problem={problem} />
      <Dialog
        open={made !== undefined}
        onClose={() => setMade(undefined)}
        title={made?.title ?? ""}
        about={made?.about}
      >
        <p className="break-all font-mono text-sm">{made?.words}</p>
        <p className="mt-3 text-right">
          <Copy text={made?.words ?? ""} what="it" />
        </p>
      </Dialog>
      <Erase
        user={user}
        agents={agents}
        open={asked("erase") !== undefined}
        onClose={() => setAsked({ erase: undefined })}
      />
    </>
  );
}

/** The one thing of what was made that is shown once: a link, or a secret. */
function linkIn(answer: Record<string, unknown>): string {
  const [first] = (answer.invitations as { url?: string }[] | undefined) ?? [];
  return String(answer.url ?? first?.url ?? answer.token ?? answer.secret ?? "");
}

type EraseProps = {
  readonly user: string;
  readonly agents: readonly string[];
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Erases a person, with one agent or all: their id is typed first. */
function Erase({ user, agents, open, onClose }: EraseProps) {
  const act = useAct();
  const [, go] = useLocation();
  const [typed, setTyped] = useState("");
  const [agent, setAgent] = useState("");
  const erase = async () => {
    const path = withQuery(`/users/${encodeName(user)}`, { agent });
    if ((await act.run(() => request(path, { method: "DELETE" }))) === undefined) return;
    setTyped("");
    if (agent === "") go(housePlaceOf("people"));
    else onClose();
  };
  return (
    <FormDialog
      {...{ open, onClose, act }}
      title={`Erase ${user}`}
      about="All their text is deleted and cannot be restored. The history still shows that something happened; what was spent stays spent."
      does="Erase"
      ready={typed === user}
      onSubmit={erase}
    >
      <Choices
        label="With"
        of={[["", "all agents"] as const, ...agents.map((one) => [one, one] as const)]}
        chosen={agent}
        onChoose={setAgent}
      />
      <Field label={`Type ${user} to confirm`}>
        <Input value={typed} autoComplete="off" onChange={({ target }) => setTyped(target.value)} />
      </Field>
    </FormDialog>
  );
}
