/** Puts accents on all texts of a catalog: one that is still plain on a page stands in no catalog. */
export function disguise<Value>(value: Value): Value {
  return inside(value) as Value
}

function inside(each: unknown): unknown {
  if (typeof each === 'string') return accent(each)
  if (typeof each === 'function') return (...given: string[]) => say(each as Say, given)
  if (Array.isArray(each)) return each.map(inside)
  return Object.fromEntries(Object.entries(each as object).map(([key, item]) => [key, inside(item)]))
}

type Say = (...given: string[]) => string

/** Accents what a text adds to the values that it is given, and not these. */
function say(text: Say, given: readonly string[]): string {
  const marked = given.map((_, at) => `\ue000${at}\ue001`)
  return accent(text(...marked)).replaceAll(/\ue000(\d+)\ue001/g, (_, at) => given[Number(at)] ?? '')
}

function accent(text: string): string {
  return text.normalize('NFD').replaceAll(/[A-Za-z]/g, (letter) => `${letter}\u0301`)
}
