/** What stands behind a function's name in an address, for people: "/books/1?x". Empty: nothing. */
export function pathOf(name: string, url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  const at = pathname.indexOf(`/${name}`);
  const path = at < 0 ? pathname : pathname.slice(at + name.length + 1);
  const text = `${path}${search}`;
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Characters of a query string that say enough. */
const longest = 60;
