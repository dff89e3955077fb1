/** Variables that a demo keeps: the terminal, the language, the screen and where programs are. */
const kept =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|USER|LOGNAME|SHELL|COMSPEC|SYSTEMROOT|WINDIR|APPDATA|LOCALAPPDATA|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|DISPLAY|WAYLAND_DISPLAY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER|NODE_\w+|npm_(?!config_)\w+|_)$/i;

/** An environment without keys, tokens, addresses and settings: by what is kept, so that a new key is not forgotten. */
export function bareEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && kept.test(name) ? [[name, value]] : [])),
  );
}
