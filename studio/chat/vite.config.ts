import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** Where `npm run charter -- start` listens while the page is worked on with `vite studio/chat`. */
const server = process.env.CHARTER_SERVER ?? "http://127.0.0.1:4747";
const asItsOwnPage = { target: server, changeOrigin: true, headers: { origin: server } };

/** The page for users is a bundle of its own: it has the kit in common with the studio, and no page of it. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/chat/",
  publicDir: false,
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ["charter-source", ...defaultClientConditions] },
  build: {
    outDir: "../../service/studio/chat",
    emptyOutDir: true,
    target: "es2024",
    cssTarget: "chrome123",
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { proxy: { "/chat/api": asItsOwnPage, "/chat/sign-in": asItsOwnPage } },
});
