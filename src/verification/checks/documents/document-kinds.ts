import type { IdentityDocument } from '../../../customers/identity/identity.ts'

/** The contract expects a utility bill, a bank statement or a letter of an authority as proof of address. */
const addressEvidence: readonly string[] = ['UTILITY_BILL', 'BANK_STATEMENT', 'GOVERNMENT_LETTER']

// Subtypes are an open list: besides the contract's NATIONAL_ID and PASSPORT these words tell what is meant.
const card = /NATIONAL_ID|IDENTITY|ID_CARD|LICEN[CS]E|RESIDENCE|PERMIT|PASSPORT_CARD|VOTER/
const paper = /BILL|STATEMENT|LETTER|LEASE|INVOICE|TAX_/

export function isGovernmentId({ type }: IdentityDocument): boolean {
  return type === 'GOVERNMENT_ID'
}

export function isProofOfAddress({ type }: IdentityDocument): boolean {
  return type === 'PROOF_OF_ADDRESS'
}

/** Cards say something on both sides; a passport is shown by its photo page alone. */
export function hasTwoSides(subtype: string): boolean {
  return card.test(subtype.toUpperCase())
}

export function isPassport(subtype: string): boolean {
  return subtype.toUpperCase() === 'PASSPORT'
}

/** A subtype that names an identity document. */
export function provesIdentity(subtype: string): boolean {
  return isPassport(subtype) || card.test(subtype.toUpperCase())
}

/** A subtype that names a paper which shows where somebody lives. */
export function provesAddress(subtype: string): boolean {
  return (
    addressEvidence.includes(subtype.toUpperCase()) || (paper.test(subtype.toUpperCase()) && !provesIdentity(subtype))
  )
}

/** The subtypes of proofs of address that the contract has in mind. */
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
