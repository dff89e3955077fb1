import "./chat.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme, chosenTheme } from "../kit/window.ts";
import { App } from "./app/app.tsx";
import { takeCode } from "./app/place.ts";
import { WithDemoNote } from "./kit/demo-note.tsx";

// Before anything is drawn: the code must not stay in the address or the history.
const code = takeCode();
applyTheme(chosenTheme());
createRoot(document.getElementById("chat") as HTMLElement).render(
  <StrictMode>
    <WithDemoNote>
      <App code={code} />
    </WithDemoNote>
  </StrictMode>,
);
