import { keepCompiled } from './command-line/keep-compiled.ts';

// What is imported before this would be compiled each time.
keepCompiled();
const { runCommandLine } = await import('./admin/command-line.ts');
await runCommandLine();
