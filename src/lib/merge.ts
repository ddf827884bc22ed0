type Tree = Record<string, unknown>

/** Applies a partial update (RFC 7396): merges objects field by field, removes nulls, replaces all other values. */
export function mergeDeep<Value extends object>(base: Value | undefined, patch: Partial<Value>): Value {
  const merged: Tree = { ...(base as Tree | undefined) }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = isTree(value) ? mergeDeep(isTree(merged[name]) ? merged[name] : {}, value) : value
  }
  return merged as Value
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
