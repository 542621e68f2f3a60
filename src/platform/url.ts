/**
 * Path and query string of a URL, or of a request target. Sliced, not parsed: a Host that no URL allows, or a target
 * like "//", must not fail the request.
 */
export function splitURL(url: string): { path: string; queryString: string } {
  const hash = url.indexOf('#');
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?');
  const pathEnd = mark < 0 || mark > end ? end : mark;
  const pathStart = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  return { path: pathStart < 0 || pathStart > pathEnd ? '/' : url.slice(pathStart, pathEnd), queryString: url.slice(pathEnd + 1, end) };
}
