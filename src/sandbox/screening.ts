/** A last name of a sender or receiver that freezes the transaction, so that tests need no watch list. */
export const blockedName = 'Blocked'

export function isMagicallyBlocked(name: string | undefined): boolean {
  return name?.split(' ').at(-1) === blockedName
}
