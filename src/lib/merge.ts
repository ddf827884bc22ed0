type Tree = Record<string, unknown>

/** Applies a partial update: merges objects field by field and replaces all other values. */
export function mergeDeep<Value extends object>(base: Value | undefined, patch: Partial<Value>): Value {
  const merged: Tree = { ...(base as Tree | undefined) }
  for (const [name, value] of Object.entries(patch)) {
    merged[name] = isTree(value) && isTree(merged[name]) ? mergeDeep(merged[name], value) : value
  }
  return merged as Value
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
