import type { HeaderMap } from '../message/header-map.ts';

/** Adds a field that the answer depends on. "*" says that it depends on everything, and stays alone (RFC 9110 section 12.5.5). */
export function addVary(headers: HeaderMap, field: string): void {
  if (field === '*') headers.set('vary', field);
  else if (headers.get('vary') !== '*') headers.append('vary', field);
}
