import { presentMetadata } from '../lib/resources/own-data.ts'
import type { Customer, CustomerType, Profile } from './customer.ts'
import type { Identity } from './identity/identity.ts'
import { nameOf, residenceOf } from './name.ts'
import type { StoredProfile } from './present.ts'

type FieldPlace = { table: string; row: string; column: string }

/** The customer's own key. A sealed value opens only in its own place. */
export type CustomerKey = {
  organizationId: string
  dataKeyId: string
  seal(place: FieldPlace, content: string | Buffer): Buffer
  open(place: FieldPlace, sealed: Buffer): Buffer
}

/** A customer with its unwrapped key; without one when the key was destroyed. */
export type OpenCustomer = { customer: Customer; key: CustomerKey | undefined; profile: StoredProfile | undefined }

export function unsealCustomer(customer: Customer, key: CustomerKey | undefined): OpenCustomer {
  const profile =
    key && (JSON.parse(key.open(placeOf(customer, 'profile'), customer.sealedProfile).toString()) as StoredProfile)
  return { customer, key, profile }
}

export function openIdentity({ customer, key }: OpenCustomer): Identity {
  if (!key || !customer.sealedIdentity) return {}
  return JSON.parse(key.open(placeOf(customer, 'identity'), customer.sealedIdentity).toString()) as Identity
}

type CustomerId = { customerId: string; customerType: CustomerType }

/** Seals profile and identity. The profile holds name and residence, so that a list need not open the identity. */
export function sealCustomer(key: CustomerKey, customer: CustomerId, given: Profile, identity: Identity) {
  const { firstName, lastName, businessName, email, metadata } = given
  const residence = residenceOf(identity)
  const profile: StoredProfile = {
    ...(firstName ? { firstName } : {}),
    ...(lastName ? { lastName } : {}),
    ...(businessName ? { businessName } : {}),
    email,
    name: nameOf(customer.customerType, given, identity),
    ...(residence ? { residence } : {}),
    ...presentMetadata({ metadata }),
  }
  return {
    profile,
    sealedProfile: key.seal(placeOf(customer, 'profile'), JSON.stringify(profile)),
    sealedIdentity: sealIdentity(key, customer, identity),
  }
}

export function sealIdentity(key: CustomerKey, customer: { customerId: string }, identity: Identity): Buffer {
  return key.seal(placeOf(customer, 'identity'), JSON.stringify(identity))
}

function placeOf({ customerId }: { customerId: string }, column: string): FieldPlace {
  return { table: 'customers', row: customerId, column }
}
