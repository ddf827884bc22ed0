/** A character that JSON text and idempotency keys never have. */
const joint = '\u001e'

/** Writes texts as one parameter. Neither side looks at each of its characters, as an array needs. */
export function joinTexts(texts: readonly (string | null | undefined)[]): string {
  return texts.map((text) => text ?? '').join(joint)
}

/** The array of the texts that a parameter joins. The subquery is computed once for each statement. */
export function joinedTexts(parameter: string): string {
  return `(select string_to_array(${parameter}, e'\\x1e', ''))`
}
