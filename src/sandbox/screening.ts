import type { Counterparty } from '../transactions/ports.ts'

/** A last name that stops money, whoever it goes to or comes from. */
export const blockedName = 'Blocked'

/** So that a frozen transaction can be seen without a list of anybody. */
export function hasBlockedName({ name }: Pick<Counterparty, 'name'>): boolean {
  return name?.split(' ').at(-1) === blockedName
}
