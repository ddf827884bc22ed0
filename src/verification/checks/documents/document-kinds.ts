import { documentKindOf, isAddressKind, isIdentityKind } from '../../../catalog/codes/identity-documents.ts'
import type { IdentityDocument } from '../../../customers/identity/identity.ts'

export function isGovernmentId({ type }: IdentityDocument): boolean {
  return type === 'GOVERNMENT_ID'
}

export function isProofOfAddress({ type }: IdentityDocument): boolean {
  return type === 'PROOF_OF_ADDRESS'
}

/** True for cards, which need both sides; of a passport or travel document the photo page is enough. */
export function hasTwoSides(subtype: string): boolean {
  const kind = documentKindOf(subtype)
  return isIdentityKind(kind) && kind !== 'PASSPORT' && kind !== 'TRAVEL_DOCUMENT'
}

export function isPassport(subtype: string): boolean {
  return documentKindOf(subtype) === 'PASSPORT'
}

/** True for a subtype that names an identity document. */
export function provesIdentity(subtype: string): boolean {
  return isIdentityKind(documentKindOf(subtype))
}

/** True for a subtype that names a paper which shows where a person lives. */
export function provesAddress(subtype: string): boolean {
  return isAddressKind(documentKindOf(subtype))
}

/** Each document with the path of its fields. */
export function documentsWithPaths(
  documents: readonly IdentityDocument[] | undefined,
  path: string,
): { document: IdentityDocument; path: string }[] {
  return (documents ?? []).map((document, at) => ({ document, path: `${path}.documents[${at}]` }))
}
