/**
 * Leaves escape codes out of files and pipes. Vitest writes them there too, unless it finds
 * NO_COLOR when it is loaded.
 */
export const colourTerminals = (): void => {
  const { stdout, stderr, env } = process;
  if (!(stdout.isTTY && stderr.isTTY) && !env.FORCE_COLOR) env.NO_COLOR = '1';
};
