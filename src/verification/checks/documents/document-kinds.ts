import type { IdentityDocument } from '../../../customers/identity/identity.ts'

/** The contract expects a utility bill, a bank statement or a letter of an authority as proof of address. */
const addressEvidence: readonly string[] = ['UTILITY_BILL', 'BANK_STATEMENT', 'GOVERNMENT_LETTER']

// Subtypes are an open list: beside the contract's NATIONAL_ID and PASSPORT, these words name the kind.
const card = /NATIONAL_ID|IDENTITY|ID_CARD|LICEN[CS]E|RESIDENCE|PERMIT|PASSPORT_CARD|VOTER/
const paper = /BILL|STATEMENT|LETTER|LEASE|INVOICE|TAX_/

export function isGovernmentId({ type }: IdentityDocument): boolean {
  return type === 'GOVERNMENT_ID'
}

export function isProofOfAddress({ type }: IdentityDocument): boolean {
  return type === 'PROOF_OF_ADDRESS'
}

/** True for cards, which need both sides; a passport needs its photo page only. */
export function hasTwoSides(subtype: string): boolean {
  return card.test(subtype.toUpperCase())
}

export function isPassport(subtype: string): boolean {
  return subtype.toUpperCase() === 'PASSPORT'
}

/** True for a subtype that names an identity document. */
export function provesIdentity(subtype: string): boolean {
  return isPassport(subtype) || card.test(subtype.toUpperCase())
}

/** True for a subtype that names a paper which shows where a person lives. */
export function provesAddress(subtype: string): boolean {
  return (
    addressEvidence.includes(subtype.toUpperCase()) || (paper.test(subtype.toUpperCase()) && !provesIdentity(subtype))
  )
}

/** True for the subtypes of proofs of address that the contract names. */
export function isExpectedAddressEvidence(subtype: string): boolean {
  return addressEvidence.includes(subtype)
}

/** Each document with the path of its fields. */
export function documentsWithPaths(
  documents: readonly IdentityDocument[] | undefined,
  path: string,
): { document: IdentityDocument; path: string }[] {
  return (documents ?? []).map((document, at) => ({ document, path: `${path}.documents[${at}]` }))
}
