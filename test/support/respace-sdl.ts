import { Lexer, Source, TokenKind } from 'graphql';
import type { Token } from 'graphql';

import type { Random } from './random.ts';

const blanks = [' ', '  ', '\n', '\r\n', '\r', '\t', ',', '\uFEFF', '\n\n  ', ', ,'];
const comments = ['#', '# a comment', '# } { ( ) " """ \\', '#type Nothing { a: Int }', '# @deprecated ! ] | & =', '##"'];
const lineEnds = ['\n', '\r\n', '\r'];

/** The same schema text, token by token, with other white space, commas and comments between the tokens. */
export function respaceSDL(text: string, random: Random): string {
  // Some texts have hardly any white space, others consist mostly of comments.
  const noise = random.pick([0.02, 0.1, 0.5]);
  let respaced = random.chance(0.2) ? '\uFEFF' : '';
  let before: Token | undefined;
  for (const token of tokensOf(text)) {
    const mayTouch = before === undefined || !fuses(before, token);
    respaced += gap(random, noise, mayTouch) + text.slice(token.start, token.end);
    before = token;
  }
  // The text may end with a comment without a line break.
  return respaced + (random.chance(0.3) ? random.pick(['\n', ' ', '# the end', '\n# the } end\r\n']) : '');
}

function tokensOf(text: string): Token[] {
  const lexer = new Lexer(new Source(text));
  const tokens: Token[] = [];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) tokens.push(token);
  return tokens;
}

/** Whether two tokens without a separator would be read as one token, or as different ones. */
function fuses(before: Token, token: Token): boolean {
  const isWord = ({ kind }: Token): boolean => kind === TokenKind.NAME || kind === TokenKind.INT || kind === TokenKind.FLOAT;
  const isString = ({ kind }: Token): boolean => kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING;
  return (isWord(before) && isWord(token)) || (isString(before) && isString(token));
}

function gap(random: Random, noise: number, mayTouch: boolean): string {
  let text = mayTouch && random.chance(0.5) ? '' : random.chance(1 - noise) ? ' ' : random.pick(blanks);
  while (random.chance(noise)) text += random.chance(0.4) ? random.pick(comments) + random.pick(lineEnds) : random.pick(blanks);
  return text;
}
