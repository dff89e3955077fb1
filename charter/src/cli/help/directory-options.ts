/** Where a coding agent works, and where its files for every project are. */
export const placeHelp = `      --cwd <dir>            the directory it works in (here)
      --home <dir>           its directory for every project (~/.charter/agent; with --config .pi ~/.pi/agent)
      --config <name>        a project's own directory: .charter (default), .sf, .pi, …`;

export const directoryHelp = `${placeHelp}
      --trust, --no-trust    use what the project brings, or not, this once; else as charter trust remembers
      --tools <a,b>          the built-in tools that are active (read,bash,edit,write; there are grep,find,ls too)
      --skill <path>         a skill, or a directory of them; --extension <file> an extension: as often as you like`;

/** What a coding agent's tools may touch. */
export const codingHelp = `${directoryHelp}
      --allow <dir>          its file tools may touch this directory too; bash is confined by nothing but you`;
