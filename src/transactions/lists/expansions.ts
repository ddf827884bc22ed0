/** The resources that a read of transactions can include. */
export const expansions = ['customer', 'quote', 'accounts'] as const
export type Expansion = (typeof expansions)[number]

/** Reads a list such as `customer,quote`; undefined when a name is unknown. */
export function readExpansions(text: string | undefined): Expansion[] | undefined {
  if (text === undefined) return []
  const names = text.split(',')
  const known = expansions.filter((each) => names.includes(each))
  return names.every((name) => (expansions as readonly string[]).includes(name)) ? known : undefined
}
