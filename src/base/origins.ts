/** Stands for an address that programs may interpret in several ways. */
const unclear = "?";

/** Longer texts, and texts with more addresses, are treated as unclear as a whole: no genuine setting has them. */
const longestText = 10_000;
const mostAddresses = 10;

/**
 * The origins of addresses in a text, without duplicates: `https://wiki.example.com`, `http://10.0.0.1:8080`,
 * `//example.com` without a scheme. Names are in lower case and ASCII, without a user, a default port of https, or a
 * final dot. `?` stands for anything unclear, so that rules that require known origins object to it.
 */
export function originsIn(text: string): readonly string[] {
  if (text.length > longestText) return [unclear];
  const found = new Set<string>();
  // Browsers and libraries ignore line breaks, tabs and invisible characters.
  for (const written of new Set([text, text.replace(/[\p{Cc}\p{Cf}]/gu, "")])) {
    for (const token of written.split(/[\s,;|"'<>]+/u)) for (const origin of originsOfToken(token)) found.add(origin);
    if (found.size > mostAddresses) return [unclear];
  }
  if (found.size > 0 && /[\\\p{Cc}\p{Cf}]/u.test(text.trim())) found.add(unclear);
  return [...found];
}

export function hostsIn(text: string): readonly string[] {
  const hosts = originsIn(text).map((origin) => origin.replace(/^[^/]*\/\//, "").replace(/:\d+$/, ""));
  return [...new Set(hosts)];
}

/** A scheme, or two slashes without one: the start of an address, even within another one. */
const beginnings = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:)?[/\\]{2,}|(?<![a-z0-9+.-])(https?|wss?|ftp):/giu;

function originsOfToken(token: string): readonly string[] {
  const starts = [...token.matchAll(beginnings)].slice(0, mostAddresses + 1);
  const isPlain = starts.length === 0 || (starts[0]?.index ?? 0) > 0;
  const bare = isPlain ? bareOrigin(token) : [];
  return [...bare, ...starts.map(({ index, 0: opening }) => parseOrigin(token.slice(index + opening.length), opening))];
}

/** A name without a scheme, but with dots or a port: `evil.net/path`, `10.0.0.1`, `localhost:8080`. */
function bareOrigin(token: string): readonly string[] {
  const [authority = ""] = token.split(/[/\\?#]/u, 1);
  const isMail = authority.includes("@") && authority === token;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const isName = /^[^:@]*[^:@.][.。．｡][^:@.\d][^:@.]*\.?(:\d+)?$/u.test(host) || /^[^:@]+:\d+$/u.test(host);
  const isNumber = /^\d+(\.\d+){3}(:\d+)?$/.test(host) || host.startsWith("[");
  return !isMail && (isName || isNumber) ? [parseOrigin(token, "")] : [];
}

/** `rest`: the text after the scheme and its slashes. */
function parseOrigin(rest: string, opening: string): string {
  const scheme = opening.replace(/[/\\]+$/u, "").toLowerCase();
  const [authority = ""] = rest.replace(/^[/\\]+/u, "").split(/[/\\?#]/u, 1);
  try {
    const { hostname, port } = new URL(`https://${authority}`);
    const host = hostname.replace(/\.+$/, "");
    return host === "" ? unclear : `${scheme}//${host}${port && `:${port}`}`;
  } catch {
    return unclear;
  }
}
