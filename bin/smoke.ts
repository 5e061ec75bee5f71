import { bypassProxy } from './command-line/stay-on-this-machine.ts';

bypassProxy();
// Read from here, since the clients of AWS are made before the command line is parsed.
if (process.argv.some((word) => /^--(stage|url)(=|$)/.test(word))) {
  await import('./command-line/use-proxy.ts');
}
await import('./smoke/command-line.ts');
