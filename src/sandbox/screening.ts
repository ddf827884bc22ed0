/** A last name that stops money, whoever it goes to or comes from, so that a freeze can be seen without a list. */
export const blockedName = 'Blocked'

export function isMagicallyBlocked(name: string | undefined): boolean {
  return name?.split(' ').at(-1) === blockedName
}
