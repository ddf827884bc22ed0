import type { App } from '../../../src/app.ts'
import { sealCustomer } from '../../../src/customers/sealed-customer.ts'
import * as store from '../../../src/customers/store.ts'
import { newId } from '../../../src/lib/ids.ts'
import { enrolForScreening } from '../../../src/reviews/screening-store.ts'

type Parts = Pick<App, 'database' | 'vault'>

/** Stores many ACTIVE customers directly, which is faster than the API. Each is sealed with its own key. */
export async function insertServedCustomers(
  { database, vault }: Parts,
  organizationId: string,
  names: readonly { firstName: string; lastName: string; dateOfBirth?: string }[],
): Promise<void> {
  for (let at = 0; at < names.length; at += 100) {
    const batch = names.slice(at, at + 100)
    const keys = await Promise.all(batch.map(() => vault.prepareDataKey(organizationId)))
    await database.inTx(async (tx) => {
      for (const [index, { firstName, lastName, dateOfBirth }] of batch.entries()) {
        const key = keys[index] as (typeof keys)[0]
        await vault.createDataKey(tx, key)
        const about = { organizationId, customerId: newId(), customerType: 'INDIVIDUAL' as const }
        const kycData = { legalFirstName: firstName, legalLastName: lastName, ...(dateOfBirth ? { dateOfBirth } : {}) }
        const profile = { email: 'a@example.com', firstName, lastName }
        const { sealedProfile, sealedIdentity } = sealCustomer(key, about, profile, { kycData })
        const sealed = { sealedProfile, sealedIdentity, dataKeyId: key.dataKeyId }
        const row = await store.insertCustomer(tx, { ...about, ...sealed, externalId: null, submission: 1 })
        await store.changeStatus(tx, { ...row, from: ['CREATED'], to: 'ACTIVE' })
        await enrolForScreening(tx, row)
      }
    })
  }
}
