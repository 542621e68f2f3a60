/** Parameters that are likely to be keys. A name too many is a value less to read; one too few is a secret in a screenshot. */
const secretive = /key|token|secret|pass|pwd|auth|credential|session|signature|^sig$|jwt|access|^code$/i;

/** A URL as it may be shown: without user name and password, and without the values of parameters that may be secrets. */
export function shownURL(text: string): string {
  if (!URL.canParse(text)) return shownPath(text);
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.hash = '';
  for (const name of new Set(url.searchParams.keys())) if (secretive.test(name)) url.searchParams.set(name, '***');
  return url.href;
}

/** What a call was given, when it failed before that became a URL. */
function shownPath(text: string): string {
  const [path = ''] = text.split(/[?#]/, 1);
  return path === text ? text : `${path}?***`;
}
