import type { ServerOptions } from '../../../server/index.ts';

/** Returns sentences about operations that development allows and production refuses, and advice for a server that does not set `csrfPrevention`. */
export function noticesOf(name: string, { csrfPrevention, trustedDocuments }: ServerOptions): string[] {
  const notices: string[] = [];
  if (csrfPrevention === undefined)
    notices.push(
      `${name} does not set csrfPrevention, so it refuses only requests that the browser marks as coming from another site. ` +
        'Set csrfPrevention: true (recommended), or false to allow all requests: docs/security.md.',
    );
  if (trustedDocuments?.only === true)
    notices.push(`In development, ${name} runs every operation; in production, only its trusted documents.`);
  return notices;
}
