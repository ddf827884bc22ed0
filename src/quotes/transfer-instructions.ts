import { chainIds } from '../catalog/chain-ids.ts'
import { type Asset, type Currency, isFiat, scaleOf } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { formatAmount } from '../lib/money.ts'

/** Our own account at the bank of a rail, in the fields of the API. */
export type ReceivingAccount = Partial<
  Record<
    | 'transferBankName'
    | 'transferBankAddress'
    | 'transferBankAccountNumber'
    | 'transferRoutingNumber'
    | 'transferBankBeneficiaryName'
    | 'transferIban'
    | 'transferBicSwift'
    | 'transferIfscCode'
    | 'transferTransitNumber'
    | 'transferBankCode'
    | 'transferPaymentLink',
    string
  >
>

const day = 86_400

/** The time a customer has to send the funds: the days of a rail plus a weekend, or an hour on a network. */
export const transferWindowSeconds: Readonly<Record<PaymentMethod, number>> = {
  ACH: 7 * day,
  WIRE: 5 * day,
  SEPA: 5 * day,
  CA_INTERAC: 3 * day,
  IN_NEFT_RTGS_IMPS: 3 * day,
  ARBITRUM: 3_600,
  BASE: 3_600,
  ETHEREUM: 3_600,
  OPTIMISM: 3_600,
  POLYGON: 3_600,
  SOLANA: 3_600,
}

type Transfer = {
  asset: Asset
  method: PaymentMethod
  amount: bigint
  currency: Currency
  environment: 'sandbox' | 'production'
  receiving: ReceivingAccount | undefined
}

/**
 * Builds the instructions for sending the source amount, as JSON. The transaction later replaces $MESSAGE and $ADDRESS
 * with the values that identify its deposit. Undefined if we have no account on the rail.
 */
export function transferInstructions(transfer: Transfer): string | undefined {
  const { asset, method, receiving } = transfer
  if (isFiat(asset)) {
    if (!receiving) return undefined
    return JSON.stringify({ type: 'fiat', transferPaymentMethod: method, transferMessage: '$MESSAGE', ...receiving })
  }
  const amount = formatAmount(transfer.amount, scaleOf(asset))
  return JSON.stringify({
    type: 'crypto',
    transferPaymentMethod: method,
    transferWalletAddress: '$ADDRESS',
    transferCurrency: transfer.currency,
    transferAmount: amount,
    transferUri: transferUri(transfer, amount),
  })
}

/** Builds the link that opens a wallet with the transfer filled in: ERC-681 on EVM networks, Solana Pay on Solana. */
function transferUri({ method, amount, currency, environment }: Transfer, text: string): string {
  if (!('contractAddress' in currency)) throw new Error(`the token on ${method} has no contract address`)
  const { contractAddress } = currency
  if (method === 'SOLANA') return `solana:$ADDRESS?amount=${text}&spl-token=${contractAddress}&reference=$ADDRESS`
  const chainId = chainIds[environment][currency.chain as keyof (typeof chainIds)['sandbox']]
  return `ethereum:${contractAddress}@${chainId}/transfer?address=$ADDRESS&uint256=${amount}`
}
