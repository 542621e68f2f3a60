import type { ServerOptions } from '../../../server/index.ts';

/** Advice for a server that does not set `csrfPrevention`. */
export function csrfNotice(name: string, { csrfPrevention }: Pick<ServerOptions, 'csrfPrevention'>): string | undefined {
  if (csrfPrevention !== undefined) return undefined;
  return (
    `${name} does not set csrfPrevention, so it refuses only requests that the browser marks as coming from another site. ` +
    'Set csrfPrevention: true (recommended), or false to allow all requests: docs/security.md.'
  );
}
