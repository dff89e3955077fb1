import { useState } from "react";
import { Button, Choices } from "../../kit/field.tsx";
import { chooseTheme, chosenTheme, type Theme } from "../../kit/window.ts";
import { useAct } from "../api/act.ts";
import { agentLabel, useFacts } from "../api/page-facts.ts";
import { signOut } from "../app/sign-in.ts";
import { Card, Page } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { Erase } from "./erase.tsx";
import { Export } from "./export.tsx";
import { TimeZone } from "./time-zone.tsx";

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
          {leaving.problem && <Trouble problem={leaving.problem} />}
        </Card>
        <Export />
        <Erase />
      </div>
    </Page>
  );
}
