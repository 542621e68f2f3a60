/** True for a scope-token (RFC 6749 section 3.3). */
export function isScope(scope: unknown): scope is string {
  return typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope);
}

/** A challenge for a bearer token, with the parameters that have a value (RFC 6750 section 3). */
export function bearerChallenge(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return `Bearer ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`.trimEnd();
}
