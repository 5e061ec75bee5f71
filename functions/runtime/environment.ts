/** @throws Error naming the variable: the stack sets it, so its absence is a fault of the stack. */
export const environment = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};
