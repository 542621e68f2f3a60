/** The hash of a text in lower-case hexadecimal digits. Loads node:crypto when it is first asked; elsewhere the platform's own does it. */
export function sha256(text: string): string | Promise<string> {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined ? digest(text) : crypto.createHash('sha256').update(text).digest('hex');
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
