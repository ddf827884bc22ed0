import { en, type Texts } from './en.ts'

const plain = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const accented = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļḿñöþǫŕšţûṽŵẋýž'

/**
 * English with accents and a third longer, for tests and for people who lay out pages: a text that is still plain stands in
 * no catalog. Dates and countries are German, so that English ones are seen as well.
 */
export const pseudo: Texts = { ...(disguise(en) as Texts), locale: 'de', direction: 'ltr' }

function disguise(value: unknown): unknown {
  if (typeof value === 'string') return accent(value)
  if (typeof value === 'function') return (...given: unknown[]) => say(value as Say, given)
  if (Array.isArray(value)) return value.map(disguise)
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, disguise(each)]))
}

type Say = (...given: unknown[]) => string

/** Accents what a text adds to the values that it is given, and not these. */
function say(text: Say, given: readonly unknown[]): string {
  const marked = given.map((each, at) => (typeof each === 'string' ? `\ue000${at}\ue001` : each))
  return accent(text(...marked)).replaceAll(/\ue000(\d+)\ue001/g, (_, at) => String(given[Number(at)]))
}

/** Accents the letters outside of placeholders such as {field}. */
function accent(text: string): string {
  const letters = text.replaceAll(/\{\w+\}|[A-Za-z]/g, (each) => {
    const at = each.length === 1 ? plain.indexOf(each) : -1
    return at === -1 ? each : [...accented][at]!
  })
  return `⟦${letters}${'·'.repeat(Math.ceil(text.length / 3))}⟧`
}
