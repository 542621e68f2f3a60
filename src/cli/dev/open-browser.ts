import { spawn } from 'node:child_process';

/** Shows an address in the user's browser. Best effort: where there is none, `onFailure` hears of it. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...argv] = openerOf(process.platform, url);
  const child = spawn(command, argv, { stdio: 'ignore', detached: true });
  child.once('error', onFailure);
  child.unref();
}

/** The system's own command for it. */
export function openerOf(platform: NodeJS.Platform, url: string): [command: string, ...argv: string[]] {
  if (platform === 'darwin') return ['open', url];
  // Not `start` of cmd.exe, for which "&" in an address would begin another command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}
