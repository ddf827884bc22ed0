import { dayOf, isRealDay, monthsBefore } from '../../../lib/calendar.ts'
import { type Finding, isBlank, needsInformation, type Person } from '../../submission.ts'
import { documentsWithPaths, isProofOfAddress, provesIdentity } from './document-kinds.ts'

/** The contract: "address document must be issued within the last 3 months". Calendar months, in UTC. */
const maxMonths = 3

export function checkProofOfAddress({ documents }: Person, path: string, now: Date): Finding[] {
  const proofs = documentsWithPaths(documents, path).filter(({ document }) => isProofOfAddress(document))
  return proofs.flatMap(({ document, path: at }) => [
    ...(document.proofOfAddressImage
      ? []
      : [needsInformation('API_DATA_REQUIREMENTS_NOT_MET', `${at}.proofOfAddressImage`)]),
    // A utility bill, a bank statement or a letter of an authority is expected, not an ID.
    ...(provesIdentity(document.subtype ?? '') ? [needsInformation('INCORRECT_ID_TYPE', `${at}.subtype`)] : []),
    ...checkIssuance(document.issuanceDate, `${at}.issuanceDate`, dayOf(now)),
  ])
}

function checkIssuance(issuanceDate: string | undefined, field: string, today: string): Finding[] {
  if (isBlank(issuanceDate)) return [needsInformation('MISSING_ISSUE_DATE', field)]
  if (!isRealDay(issuanceDate)) return [needsInformation('INVALID_PARAMETERS', field)]
  if (issuanceDate > today) return [needsInformation('INCONSISTENT_DETAILS', field)]
  const isRecent = issuanceDate >= monthsBefore(today, maxMonths)
  return isRecent ? [] : [needsInformation('ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY', field)]
}
