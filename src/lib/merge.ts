type Tree = Record<string, unknown>

/** Lays a partial update over what there is: objects are merged field by field, everything else is replaced. */
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
