/** A content coding of RFC 9110 section 8.4.1, or `br` of RFC 7932. */
export type Coding = 'br' | 'gzip';

/** Elements of an Accept-Encoding value that are read. Browsers send four. */
const maxElements = 20;

/**
 * The coding that the client prefers (RFC 9110 section 12.5.3), Brotli if it likes both equally. Undefined: it accepts neither, or
 * prefers the answer as it is. A client without the field may accept every coding, but most such clients decode none.
 */
export function chooseCoding(acceptEncoding: string | null): Coding | undefined {
  if (acceptEncoding === null) return undefined;
  const weights = new Map(acceptEncoding.toLowerCase().split(',', maxElements).map(parseElement));
  const others = weights.get('*') ?? 0;
  const br = weights.get('br') ?? others;
  // RFC 9110 section 8.4.1.3: x-gzip is gzip.
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others;
  const best = Math.max(br, gzip);
  if (best === 0 || best < (weights.get('identity') ?? 0)) return undefined;
  return br === best ? 'br' : 'gzip';
}

function parseElement(element: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  // RFC 9110 section 12.4.2. A malformed weight is a refusal: the answer as it is suits everyone.
  return [coding, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}
