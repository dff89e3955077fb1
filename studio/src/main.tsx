import "./theme.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { App } from "./app/app.tsx";
import { applyTheme, chosenTheme, nonce } from "./kit/window.ts";

setNonce(nonce);
applyTheme(chosenTheme());
createRoot(document.getElementById("studio") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
