import { keepCompiled } from './command-line/keep-compiled.ts';
import { bypassProxy } from './command-line/stay-on-this-machine.ts';

// What is imported before this would be compiled each time.
keepCompiled();
bypassProxy();
// Read from here, since the clients of AWS are made before the command line is parsed.
if (process.argv.some((word) => /^--(stage|url)(=|$)/.test(word))) {
  await import('./command-line/use-proxy.ts');
}
const { program } = await import('./admin/program.ts');
const { command: smoke } = await import('./smoke/command-line.ts');
const { runProgram } = await import('./command-line/run-program.ts');
await runProgram(program.addCommand(smoke));
