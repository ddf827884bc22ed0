import { renderSVG } from 'uqr'
import { scaleOf } from '../../catalog/currencies.ts'
import { formatAmount } from '../../lib/money.ts'
import { stillDue, type Transfer } from './transfer.ts'

/** The fields of the instructions that the page shows; the rail decides which are present. */
export type Instructions = Readonly<Record<string, string>>

/** A payment that a wallet or banking app reads from a code, with the amount that is still due. */
export type PaymentCode = { kind: 'wallet' | 'bank'; text: string }

export function paymentCodeOf(transfer: Transfer, instructions: Instructions): PaymentCode | undefined {
  const due = stillDue(transfer)
  const amount = formatAmount(due, scaleOf(transfer.asset))
  const { transferUri } = instructions
  if (transferUri !== undefined) return { kind: 'wallet', text: withAmount(transferUri, due, amount) }
  const isInCode = transfer.method === 'SEPA' && due <= mostInSepaCode
  const text = isInCode ? sepaCode(instructions, amount) : undefined
  return text === undefined ? undefined : { kind: 'bank', text }
}

/** The largest amount of the standard, in cents. */
const mostInSepaCode = 99_999_999_999n

/** Puts the amount that is still due into an ERC-681 link (smallest units) or a Solana Pay link (decimals). */
function withAmount(uri: string, units: bigint, amount: string): string {
  return uri.startsWith('ethereum:')
    ? uri.replace(/([?&]uint256=)\d+/, `$1${units}`)
    : uri.replace(/([?&]amount=)[\d.]+/, `$1${amount}`)
}

/**
 * The code of a SEPA transfer that banking apps read (European Payments Council, EPC069-12, version 2). Undefined when
 * the coordinates do not fit into it.
 */
function sepaCode(instructions: Instructions, amount: string): string | undefined {
  const { transferIban, transferBicSwift = '', transferBankBeneficiaryName, transferMessage = '' } = instructions
  if (!transferIban || !transferBankBeneficiaryName || transferBankBeneficiaryName.length > 70) return undefined
  const lines = [
    'BCD',
    '002',
    '1',
    'SCT',
    transferBicSwift,
    transferBankBeneficiaryName,
    transferIban.replaceAll(' ', ''),
  ]
  return [...lines, `EUR${amount}`, '', '', transferMessage].join('\n')
}

/** Draws a code. Level M: the standard of SEPA codes asks for it, and it survives a crease in the print. */
export function drawCode(text: string, label: string): string {
  return renderSVG(text, { ecc: 'M', border: 4 }).replace('<svg ', `<svg role="img" aria-label="${label}" `)
}
