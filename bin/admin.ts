import { bypassProxy } from './bypass-proxy.ts';
import { keepCompiled } from './keep-compiled.ts';

// What is imported before this would be compiled each time.
keepCompiled();
bypassProxy();
const { runCommandLine } = await import('./admin/command-line.ts');
await runCommandLine();
