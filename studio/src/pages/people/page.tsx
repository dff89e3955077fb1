import type { UserListAnswer } from "charter/answers";
import { useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, request, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Empty, Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { housePlaceOf, saidWith, useAsked, usePlace } from "../../app/place.ts";
import { Button, Field, Input, useTyped } from "../../kit/field.tsx";
import { SortHead, sorted, sortIn } from "../../kit/table.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, dollars, plural, shortTime } from "../../kit/words.ts";
import { Person } from "./person.tsx";

/** So many at once: they are sorted here. */
const size = 1000;
type Row = UserListAnswer["users"][number];

/** Everyone agents work for, and what each comes to over all agents. One of them: `/people/<id>`. */
export default function PeoplePage() {
  const { one } = usePlace();
  return one === undefined ? <People /> : <Person key={one} user={one} />;
}

const heads = ["user", "turns", "cost", "errors", "last turn"] as const;
type Head = (typeof heads)[number];

const by: Readonly<Record<Head, (row: Row) => string | number>> = {
  user: ({ id }) => id,
  turns: ({ turns }) => turns,
  cost: ({ cost }) => cost,
  errors: ({ failed }) => failed,
  "last turn": ({ lastAt }) => lastAt ?? "",
};

function People() {
  const [asked, setAsked] = useAsked();
  const { from, ...stretch } = useStretch(size);
  const prefix = asked("query") ?? "";
  const sort = sortIn(asked("sort"), heads, { by: "user", down: false });
  const [typed, type] = useTyped(prefix, (query) => setAsked({ query, from: undefined }));
  const { data, error, isPlaceholderData } = useApi<UserListAnswer>(withQuery("/users", { prefix, ...stretch }));
  return (
    <Page
      title="People"
      about={data && `${plural(data.total, "person", "people")}, over all agents.`}
      actions={
        <Button kind="primary" onClick={() => setAsked({ new: "person" }, { replace: false })}>
          Add a person
        </Button>
      }
    >
      <Field label="Search" className="mb-3 max-w-xs">
        <Input
          type="search"
          placeholder="First letters of an id"
          value={typed}
          onChange={({ target }) => type(target.value)}
        />
      </Field>
      {error && <Trouble problem={error} />}
      {!data && !error && <Loading />}
      {data?.users.length === 0 && (
        <Empty title={prefix === "" ? "Nobody yet" : "Nobody’s id begins with these letters"}>
          Whoever is added, invited or linked, or takes a turn, is listed here.
        </Empty>
      )}
      {data && data.users.length > 0 && (
        <div className="overflow-x-auto rounded-lg border border-line bg-card">
          <table className="w-full text-sm">
            <caption className="sr-only">People</caption>
            <thead>
              <tr className="text-soft text-xs">
                {heads.map((head) => (
                  <SortHead
                    key={head}
                    column={head}
                    title={head[0]?.toUpperCase() + head.slice(1)}
                    figures={head !== "user"}
                    sort={sort}
                    onSort={(next) => setAsked({ sort: next })}
                  />
                ))}
                <th scope="col" className="p-2 text-left font-normal">
                  With
                </th>
              </tr>
            </thead>
            <tbody>
              {sorted(data.users, sort, by).map((one) => (
                <PersonRow key={one.id} one={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && (
        <Pager
          {...{ from, size }}
          isBefore={isPlaceholderData}
          shown={data.users.length}
          more={data.more}
          total={data.total}
          words={["Before", "After"]}
        />
      )}
      <NewPerson open={asked("new") !== undefined} onClose={() => setAsked({ new: undefined })} />
    </Page>
  );
}

function PersonRow({ one: { id, zone, turns, failed, cost, lastAt, agents } }: { readonly one: Row }) {
  const number = "p-2 text-right tabular-nums whitespace-nowrap";
  return (
    <tr className="border-line border-t align-top">
      <th scope="row" className="p-2 text-left font-normal [overflow-wrap:anywhere]">
        <Link href={housePlaceOf("people", id)} className="font-medium text-accent underline" dir="auto">
          {id}
        </Link>
        {zone !== null && <span className="block text-soft text-xs">{zone}</span>}
      </th>
      <td className={number}>{count(turns)}</td>
      <td className={number}>{dollars(cost)}</td>
      <td className={number}>{count(failed)}</td>
      <td className={number}>{lastAt === null ? "–" : shortTime(lastAt)}</td>
      <td className="p-2">
        {agents.map((agent, at) => (
          <span key={agent}>
            {at > 0 && ", "}
            <TextLink href={saidWith(agent, id)}>{agent}</TextLink>
          </span>
        ))}
      </td>
    </tr>
  );
}

function NewPerson({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const act = useAct();
  const [id, setId] = useState("");
  const save = async () => {
    const put = () => request(`/users/${encodeName(id.trim())}`, { method: "PUT", body: {} });
    if ((await act.run(put)) === undefined) return;
    setId("");
    onClose();
  };
  return (
    <FormDialog
      {...{ open, onClose, act }}
      title="Add a person"
      about="An id that agents know them by."
      does="Add"
      ready={id.trim() !== ""}
      onSubmit={save}
    >
      <Field label="Id">
        <Input value={id} autoComplete="off" onChange={({ target }) => setId(target.value)} />
      </Field>
    </FormDialog>
  );
}
