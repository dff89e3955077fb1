import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** Where `npm run charter -- start` listens while the page is worked on with `vite studio`. */
const server = process.env.CHARTER_SERVER ?? "http://127.0.0.1:4747";

const answered = ["/api", "/sign-in", "/sign-out", "/charter.css", "/docs", "/openapi.json"];

/** The server answers its own page alone: what comes through here is asked as if by that. */
const asItsOwnPage = { target: server, changeOrigin: true, headers: { origin: server } };

/**
 * What more than one page needs is one file. Otherwise it is one for each set of pages, two dozen small ones a page, and a
 * browser fetches six at a time. The editor comes with what is edited.
 */
const common = { name: "common", minShareCount: 4, test: /studio\/src\/(?!editor\/)/ };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ["charter-source", ...defaultClientConditions] },
  worker: { format: "es" },
  build: {
    outDir: process.env.CHARTER_STUDIO ?? "../service/studio",
    emptyOutDir: true,
    target: "es2024",
    cssTarget: "chrome123",
    assetsDir: "studio",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4_000,
    rolldownOptions: {
      // Whoever starts Charter wants its link, not how long each part of the build took.
      checks: { bundlerTimings: false },
      output: { codeSplitting: { groups: [common] } },
    },
  },
  server: { proxy: Object.fromEntries(answered.map((path) => [path, asItsOwnPage])) },
});
