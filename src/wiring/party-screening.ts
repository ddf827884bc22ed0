import type { Queryable } from '../db/database.ts'
import { isMagicallyBlocked } from '../sandbox/screening.ts'
import type { ScreeningService } from '../screening/service.ts'
import type { Screening } from '../transactions/ports.ts'
import type { VerificationService } from '../verification/service.ts'

type Lists = { screening: ScreeningService; verification: VerificationService; isSandbox: boolean }

/** Who must not move money: customers with an open hit, and anybody whose name or address is on the list. */
export function makePartyScreening({ screening, verification, isSandbox }: Lists): Screening<Queryable> {
  return {
    isBlocked: verification.isBlocked,
    isCounterpartyBlocked: async ({ method, name, address }) => {
      if (isSandbox && isMagicallyBlocked(name)) return true
      const parties = name ? (['INDIVIDUAL', 'BUSINESS'] as const).map((kind) => ({ kind, name })) : []
      if ((await screening.screen(parties)).length > 0) return true
      return address !== undefined && (await screening.screenAddresses([{ chain: method, address }])).length > 0
    },
  }
}
