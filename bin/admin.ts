import { keepCompiled } from './command-line/keep-compiled.ts';

// What is imported before this would be compiled each time.
keepCompiled();
// Read from here, since the clients of AWS are made before the command line is parsed.
if (process.argv.some((word) => /^--stage(=|$)/.test(word))) {
  await import('./command-line/use-proxy.ts');
}
const { program } = await import('./admin/program.ts');
const { runProgram } = await import('./command-line/run-program.ts');
await runProgram(program);
