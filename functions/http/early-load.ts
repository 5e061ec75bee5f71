/**
 * Loads at once, for the first `next`; each further `next` loads again. Loading early is harmless:
 * the transaction's conditions require what was read, whenever that was.
 *
 * @param load what costs much waits for `keyBegun`, which `goOn` resolves
 */
export const earlyLoad = <Loaded>(load: (keyBegun: Promise<void>) => Promise<Loaded>) => {
  const { promise: keyBegun, resolve: goOn } = Promise.withResolvers<void>();
  let early: Promise<Loaded> | undefined = load(keyBegun);
  // It counts only when it is used.
  early.catch(() => {});
  const next = (): Promise<Loaded> => {
    const loaded = early ?? load(keyBegun);
    early = undefined;
    return loaded;
  };
  return { goOn, next };
};
