import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import type { AuthorizationOptions } from './options.ts';
import { jsonType, plain } from './responses.ts';

/** Where clients look for the metadata of a protected resource (RFC 9728 section 3.1). The path of the resource follows. */
export const metadataPath = '/.well-known/oauth-protected-resource';

/** Asks a client to sign in (401) or for more rights (403), as RFC 6750 and RFC 9728 section 5.1 say. */
export function unauthorized(status: number, authorization: AuthorizationOptions | undefined, request: HTTPRequest): HTTPResponse {
  const text = status === 401 ? 'Unauthorized' : 'Forbidden';
  if (authorization === undefined) return plain(status, text, { 'www-authenticate': 'Bearer' });
  const { resource, scopes = [] } = authorization;
  const { origin, pathname } = new URL(resource);
  const hasToken = /^Bearer ./i.test(request.headers.get('authorization') ?? '');
  const error = status === 403 ? 'insufficient_scope' : hasToken ? 'invalid_token' : undefined;
  const parts = [
    `resource_metadata="${origin}${metadataPath}${pathname === '/' ? '' : pathname}"`,
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
    ...(error === undefined ? [] : [`error="${error}"`]),
  ];
  return plain(status, text, { 'www-authenticate': `Bearer ${parts.join(', ')}` });
}

/** The metadata of a protected resource (RFC 9728 section 2), which is public. */
export function metadata({ resource, authorizationServers, scopes }: AuthorizationOptions, { method }: HTTPRequest): HTTPResponse {
  if (method === 'OPTIONS')
    return { status: 204, headers: new HeaderMap({ 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }), body: null };
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Expected GET.', { allow: 'GET' });
  const body = {
    resource,
    authorization_servers: authorizationServers,
    ...(scopes && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  };
  const headers = { 'content-type': jsonType, 'access-control-allow-origin': '*' };
  return { status: 200, headers: new HeaderMap(headers), body: JSON.stringify(body) };
}
