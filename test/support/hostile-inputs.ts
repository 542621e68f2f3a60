/** What a user may choose as a name, an id or a key. */
export const hostileInputs: readonly string[] = [
  ...'ada ada. a:b a b : . .. ../eve %2e%2e %2F % a/b a\\b a?b=c a#b a;b a,b " __proto__ constructor'.split(' '),
  'a b',
  'a\nb',
  'a\r\nset-cookie: session=eve',
  "' OR 1=1 --",
  '\0',
  'Ünïcode 🦀',
  'x'.repeat(3000),
];
