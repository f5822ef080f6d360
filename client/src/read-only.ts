/** A value whose objects and lists are only read, at every depth: one that is declared `as const` has this type too. */
export type ReadOnly<Value> = Value extends object
  ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
  : Value;
