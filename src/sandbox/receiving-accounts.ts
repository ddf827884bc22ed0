import type { FiatRail } from '../catalog/currencies.ts'
import type { ReceivingAccount } from '../quotes/transfer-instructions.ts'

const beneficiary = { transferBankBeneficiaryName: 'Svc Sandbox', transferBankName: 'Sandbox Bank' }
const address = { transferBankAddress: '1 Sandbox Street, Springfield' }

/**
 * The receiving accounts of Svc at the sandbox bank. Their checksums are valid, and no real account has these numbers.
 */
export const sandboxReceivingAccounts: Readonly<Record<FiatRail, ReceivingAccount>> = {
  ACH: { ...beneficiary, ...address, transferBankAccountNumber: '900000000001', transferRoutingNumber: '021000021' },
  WIRE: { ...beneficiary, ...address, transferBankAccountNumber: '900000000001', transferRoutingNumber: '021000021' },
  SEPA: { ...beneficiary, transferIban: 'DE75512108001245126199', transferBicSwift: 'SOGEDEFF' },
  CA_INTERAC: {
    ...beneficiary,
    transferBankCode: '003',
    transferTransitNumber: '12345',
    transferBankAccountNumber: '9000003',
  },
  IN_NEFT_RTGS_IMPS: { ...beneficiary, transferIfscCode: 'HDFC0000001', transferBankAccountNumber: '900000000004' },
}
