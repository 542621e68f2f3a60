/** True for a scope-token (RFC 6749 section 3.3). */
export function isScope(scope: unknown): scope is string {
  return typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope);
}
