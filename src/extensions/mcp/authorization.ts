import type { GraphQLFormattedError } from 'graphql';

import type { Door } from '../../server/index.ts';
import { bearerChallenge, HeaderMap, isScope } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import type { AuthorizationOptions } from './options.ts';
import { jsonType, plain } from './responses.ts';

/** Where clients look for the metadata of a protected resource (RFC 9728 section 3.1). The path of the resource follows. */
export const metadataPath = '/.well-known/oauth-protected-resource';

/** Why a caller is refused: `extensions` of the error may name the scopes that the operation needs, and those of them that the caller lacks. */
interface Unauthorized {
  readonly status: number;
  readonly error?: Pick<GraphQLFormattedError, 'extensions'> | undefined;
}

/** Asks a client to sign in (401) or for more rights (403), as RFC 6750 section 3 and RFC 9728 section 5.1 say. */
export function unauthorized(
  { status, error }: Unauthorized,
  authorization: AuthorizationOptions | undefined,
  { headers }: HTTPRequest,
): HTTPResponse {
  const { needed, missing } = error?.extensions ?? {};
  const named = Array.isArray(needed) ? needed.filter(isScope) : status === 401 ? (authorization?.scopes ?? []) : [];
  // A client that lacks no scope would ask for the token that it has.
  const lacksNone = status === 403 && Array.isArray(missing) && missing.length === 0;
  const hasToken = /^Bearer ./i.test(headers.get('authorization') ?? '');
  const reason = status === 403 ? 'insufficient_scope' : hasToken ? 'invalid_token' : undefined;
  const challenge = bearerChallenge({
    resource_metadata: authorization && metadataURL(authorization),
    ...(!lacksNone && { scope: named.join(' '), error: reason }),
  });
  return plain(status, status === 401 ? 'Unauthorized' : 'Forbidden', { 'www-authenticate': challenge });
}

function metadataURL({ resource }: AuthorizationOptions): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${metadataPath}${pathname === '/' ? '' : pathname}`;
}

/** The metadata of a protected resource (RFC 9728 section 2), which is public. */
export function metadataDoor({ resource, authorizationServers, scopes }: AuthorizationOptions): Door {
  const body = JSON.stringify({
    resource,
    authorization_servers: authorizationServers,
    ...(scopes && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  });
  return {
    name: 'mcp',
    rules: () => ({ methods: ['GET', 'HEAD'], cors: { origin: '*', allowedHeaders: ['*'] } }),
    read: () => ({ status: 200, headers: new HeaderMap({ 'content-type': jsonType }), body }),
    refuse: ({ status, error: { message } }) => plain(status, message),
  };
}
