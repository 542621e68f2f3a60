import type { ServerOptions } from '../../../server/index.ts';

/** What production does with operations that development allows. */
export function trustNotices(name: string, { trustedDocuments }: Pick<ServerOptions, 'trustedDocuments'>): string[] {
  return trustedDocuments?.only === true
    ? [`In development, ${name} runs every operation; in production, only its trusted documents.`]
    : [];
}

/** Advice for a server that does not set `csrfPrevention`. */
export function csrfNotices(name: string, { csrfPrevention }: Pick<ServerOptions, 'csrfPrevention'>): string[] {
  if (csrfPrevention !== undefined) return [];
  return [
    `${name} does not set csrfPrevention, so it refuses only requests that the browser marks as coming from another site. ` +
      'Set csrfPrevention: true (recommended), or false to allow all requests: docs/security.md.',
  ];
}
