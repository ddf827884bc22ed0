/** The first of a list that must not be empty. */
export function first<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined) throw new Error('the list is empty')
  return item
}
