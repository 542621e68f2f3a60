import { existsSync } from 'node:fs';

import type { CreateRights } from './serving.ts';

const entry = new URL('../../../../src/entries/authorization.ts', import.meta.url);

/** `authorization` of graphql-functions/authorization. Undefined as long as it does not exist. */
export const authorization: CreateRights | undefined = existsSync(entry)
  ? ((await import(entry.href)) as { readonly authorization: CreateRights }).authorization
  : undefined;

/** The option of tests that need it. */
export const needsAuthorization: { readonly skip?: string } =
  authorization === undefined ? { skip: 'graphql-functions/authorization does not exist yet' } : {};
