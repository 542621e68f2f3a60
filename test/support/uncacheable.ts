import assert from 'node:assert/strict';

import type { PlainResponse } from './plain-http.ts';

/** Fails for a response that is not `private, no-store`, unless caching was explicitly allowed. */
export function assertUncacheableUnlessAllowed({ status, headers }: PlainResponse): void {
  const value = headers.get('cache-control');
  if (headers.has('expires') || value?.includes('public') === true) return;
  assert.match(value ?? 'none', /^private, no-store(?:, no-transform)?$/, `cache-control of an answer with status ${status}`);
}
