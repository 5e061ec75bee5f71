/**
 * Loads at once, for the first call, and anew for each other one. Loading early is harmless: what
 * was read guards the transaction, whenever that was.
 */
export const preloaded = <Loaded>(load: () => Promise<Loaded>): (() => Promise<Loaded>) => {
  let early: Promise<Loaded> | undefined = load();
  // It counts only when it is used.
  early.catch(() => {});
  return () => {
    const loaded = early ?? load();
    early = undefined;
    return loaded;
  };
};
