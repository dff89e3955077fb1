import type { UserListAnswer } from "charter/answers";
import { useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, request, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Answered, Empty, Page, Pager, useStretch } from "../../app/page.tsx";
import { housePlaceOf, saidWith, useAsked, usePlace } from "../../app/place.ts";
import { type Column, figures, Links, SortedTable } from "../../app/sorted-table.tsx";
import { Button, Field, Input, useTyped } from "../../kit/field.tsx";
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

const personOf = ({ id }: Row) => housePlaceOf("people", id);

const columns: readonly Column<Row>[] = [
  {
    name: "User",
    by: ({ id }) => id,
    show: ({ id, zone }) => (
      <>
        <TextLink href={housePlaceOf("people", id)} dir="auto">
          {id}
        </TextLink>
        {zone !== null && <span className="block text-soft text-xs">{zone}</span>}
      </>
    ),
  },
  figures("Turns", (one) => one.turns, count, personOf),
  figures(
    "Cost",
    ({ cost }) => cost,
    dollars,
    ({ id }) => housePlaceOf("money", undefined, { user: id, days: "all", by: "agent" }),
  ),
  figures("Errors", ({ failed }) => failed, count, personOf),
  figures(
    "Last turn",
    ({ lastAt }) => (lastAt === null ? null : Date.parse(lastAt)),
    (at) => shortTime(new Date(at).toISOString()),
    personOf,
  ),
  {
    name: "With",
    show: ({ id, agents }) => <Links of={agents.map((agent) => [agent, saidWith(agent, id)])} />,
  },
];

function People() {
  const [asked, setAsked] = useAsked();
  const { from, ...stretch } = useStretch(size);
  const prefix = asked("query") ?? "";
  const [typed, type] = useTyped(prefix, (query) => setAsked({ query, from: undefined }));
  const answer = useApi<UserListAnswer>(withQuery("/users", { prefix, ...stretch }));
  return (
    <Page
      title="People"
      about={answer.data && `${plural(answer.data.total, "person", "people")}, over all agents.`}
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
      <Answered of={answer}>
        {({ users, more, total }) => (
          <>
            {users.length === 0 ? (
              <Empty title={prefix === "" ? "Nobody yet" : "Nobody’s id begins with these letters"}>
                Whoever is added, invited or linked, or takes a turn, is listed here.
              </Empty>
            ) : (
              <SortedTable
                caption="People"
                {...{ columns }}
                rows={users}
                keyOf={({ id }) => id}
                usual={{ by: "User", down: false }}
              />
            )}
            <Pager
              {...{ from, size, more, total }}
              isBefore={answer.isPlaceholderData}
              shown={users.length}
              words={["Before", "After"]}
            />
          </>
        )}
      </Answered>
      <NewPerson open={asked("new") !== undefined} onClose={() => setAsked({ new: undefined })} />
    </Page>
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
