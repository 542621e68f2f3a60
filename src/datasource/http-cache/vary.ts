const none: readonly string[] = [];
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** The names in a Vary field, in lower case; undefined when no other request is ever the same: "*", or what is no name. */
export function parseVary(field: string | undefined): readonly string[] | undefined {
  if (field === undefined) return none;
  const names = field
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  return names.every((name) => name !== '*' && token.test(name)) ? names : undefined;
}
