/** Bytes of a text in UTF-8. Node counts them without encoding; Workers have no `Buffer` without nodejs_compat. */
export function byteLength(text: string): number {
  return globalThis.Buffer?.byteLength(text) ?? new TextEncoder().encode(text).byteLength;
}
