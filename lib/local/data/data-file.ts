/**
 * Reads a file of the data directory.
 *
 * @throws Error with its name and advice when it cannot be read
 */
export const readDataFile = <T>(file: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `${file} cannot be read: ${message}. Restore it from a copy, or remove it; its data are then lost.`,
    );
  }
};
