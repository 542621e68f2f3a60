/** A URL without user name, password, and values of parameters that may be secrets. */
export function shownURL(text: string): string {
  if (!URL.canParse(text)) return shownPath(text);
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.hash = '';
  for (const name of new Set(url.searchParams.keys())) if (secretive.test(name)) url.searchParams.set(name, '***');
  return url.href;
}

/** Parameters that may contain secrets. A false match hides a harmless value; a missing one shows a secret. */
const secretive = /key|token|secret|pass|pwd|auth|credential|session|signature|^sig$|jwt|access|^code$/i;

/** The path of a call that failed before its URL was known. */
function shownPath(text: string): string {
  const [path = ''] = text.split(/[?#]/, 1);
  return path === text ? text : `${path}?***`;
}
