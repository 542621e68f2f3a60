import { styleText } from 'node:util';

/** The methods of `console` that print lines. */
export interface Terminal {
  log(line: string): void;
  error(line: string): void;
}

/** Colors text for the terminal. Text stays plain if stderr is not a terminal, and with NO_COLOR. */
export type Paint = (text: string) => string;

function painter(format: Parameters<typeof styleText>[0]): Paint {
  return (text) => styleText(format, text, { stream: process.stderr });
}

export const bad: Paint = painter('red');
const good: Paint = painter('green');
const strong: Paint = painter('bold');

/** The status, green below 400 and red otherwise. */
export function statusOf(status: number): string {
  return status < 400 ? good(String(status)) : bad(String(status));
}

/** Highlights places, and the mark below a line of code. */
export function paintMessage(message: string): string {
  return message.replaceAll(/^\s*[^\s:]+:\d+:\d+(?= )/gm, strong).replaceAll(/(?<=^\s*\|\s+)\^$/gm, bad);
}
