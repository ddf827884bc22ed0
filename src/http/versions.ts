/** The dated versions of the contract. `x-api-version` accepts each; so far all behave alike. */
export const apiVersions = ['2025-11-07', '2025-11-14', '2025-11-19', '2025-11-21'] as const
export const newestApiVersion = '2025-11-21'

export type ChangelogEntry = { date: string; effectiveDate: string; label: string; changes: string[] }

export const changelog: readonly ChangelogEntry[] = [
  {
    date: '2025-11-21',
    effectiveDate: '2025-11-21',
    label: 'v1.0.0',
    changes: [
      'verificationIssues is part of the customer update event and of the single-customer read',
      'Address lines have at least 4 characters',
      'Outdated state codes of China are corrected',
      'Hosted forms: street lines of up to 100 characters, embedding in iframes, and refilling the KYC or KYB form in NEEDS_ADDITIONAL_INFORMATION; beneficial owners of a business no longer get links by email',
    ],
  },
  {
    date: '2025-11-19',
    effectiveDate: '2025-11-19',
    label: 'v1.0.0',
    changes: [
      'The single-customer read takes includePaymentMethods=true and then shows availablePaymentMethods',
      'Fees of the exchange rate endpoint are expressed in the source currency',
    ],
  },
  {
    date: '2025-11-07',
    effectiveDate: '2025-11-14',
    label: 'v1.0.0',
    changes: [
      'kycLink is removed from every customer schema; use verificationLink',
      'middleName, taxIdNumber and title are removed from the KYC schemas',
      'streetLine1 and streetLine2 have at least 4 characters',
      'A request may have up to 100 MB',
      'A customer in NEEDS_ADDITIONAL_INFORMATION can be updated, and verification restarts by itself',
      'Postal codes of Egypt, Argentina and the United Kingdom are checked by their current rules',
    ],
  },
]
