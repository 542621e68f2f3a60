// Encrypts the answers that a store keeps. In production, read the key from a secret instead of generating it.
import type { IdempotencyStore } from 'graphql-functions/idempotency';

const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
const algorithm = (iv: Uint8Array<ArrayBuffer>, id: string) => ({ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(id) });

async function encrypt(answer: string, id: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const bytes = await crypto.subtle.encrypt(algorithm(iv, id), key, new TextEncoder().encode(answer));
  return Buffer.concat([iv, new Uint8Array(bytes)]).toString('base64');
}

async function decrypt(text: string, id: string): Promise<string> {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm(bytes.slice(0, 12), id), key, bytes.slice(12)));
}

export const sealed = (store: IdempotencyStore): IdempotencyStore => ({
  ...store,
  async claim(id, claim) {
    const found = await store.claim(id, claim);
    if (found.state !== 'finished' || found.answer === undefined) return found;
    return { ...found, answer: await decrypt(found.answer, id).catch(() => undefined) };
  },
  async finish(id, finish) {
    const answer = finish.answer === undefined ? undefined : await encrypt(finish.answer, id);
    return store.finish(id, { ...finish, answer });
  },
});
