import { styleText } from 'node:util';

/** The stream to which lines are written. */
export interface Terminal {
  log(line: string): void;
  error(line: string): void;
}

/** A colour for the terminal. Text stays plain where the stream is not a terminal, and with NO_COLOR. */
export type Paint = (text: string) => string;

function painter(format: Parameters<typeof styleText>[0]): Paint {
  return (text) => styleText(format, text, { stream: process.stderr });
}

export const bad: Paint = painter('red');
const good: Paint = painter('green');
const quiet: Paint = painter('dim');
const strong: Paint = painter('bold');

/** A status with a colour: refused requests and failures stand out. */
export function statusOf(status: number): string {
  return status < 400 ? good(String(status)) : bad(String(status));
}

/** A message with places and lines of code: the places, the wrong line and the mark below it stand out. */
export function paintMessage(message: string): string {
  return message
    .split('\n')
    .map((line) => {
      if (/^\s*\|\s+\^$/.test(line)) return line.replace('^', bad('^'));
      if (/^\s*> +\d+ \|/.test(line)) return strong(line);
      if (/^\s+at /.test(line)) return quiet(line);
      return line.replace(/^(\s*[^\s:]+:\d+:\d+)(?= )/, strong('$1'));
    })
    .join('\n');
}
