import type { Screening } from '../transactions/ports.ts'

/** A last name that stops money, whoever it goes to or comes from. */
export const blockedName = 'Blocked'

/** Of the sandbox: so that a frozen transaction can be seen without a list of anybody. */
export const sandboxScreening: Screening<unknown> = {
  isBlocked: async () => false,
  isCounterpartyBlocked: async ({ name }) => name?.split(' ').at(-1) === blockedName,
}
