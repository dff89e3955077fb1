import { Menu as Lines } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Dialog } from "../../../kit/menu.tsx";
import type { Whom } from "../talk.ts";
import { SessionList } from "./session-list.tsx";

/** The list of conversations behind a button: for windows that have no room for it at the side. */
export function SessionMenu({ whom, session }: { readonly whom: Whom; readonly session: string | undefined }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" className="@max-lg:px-2" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span>
          <span aria-hidden="true" className="@lg:hidden">
            <Icon of={Lines} />
          </span>
          <span className="@max-lg:sr-only">Conversations</span>
        </span>
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Conversations of ${whom.user} with ${whom.agent}`}>
        <SessionList whom={whom} session={session} onOpen={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
