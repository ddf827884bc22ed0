import { chainIds } from '../catalog/chain-ids.ts'
import { type Asset, type Currency, isFiat, scaleOf } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { formatAmount } from '../lib/money.ts'

/** Our own account at the bank of a rail, in the words of the contract. */
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

/** How long a customer may take: a rail's own days and a weekend; a network's minutes and a coffee. */
export const transferWindowSeconds: Readonly<Record<PaymentMethod, number>> = {
  ...{ ACH: 7 * day, WIRE: 5 * day, SEPA: 5 * day, CA_INTERAC: 3 * day, IN_NEFT_RTGS_IMPS: 3 * day },
  ...{ ARBITRUM: 3_600, BASE: 3_600, ETHEREUM: 3_600, OPTIMISM: 3_600, POLYGON: 3_600, SOLANA: 3_600 },
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
 * What a customer must do to send the source amount, as JSON. $MESSAGE and $ADDRESS stand for what the transaction will
 * be recognized by, and are filled in when there is one. Undefined when we have no account on that rail.
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

/** ERC-681 on EVM networks, Solana Pay on Solana: what a wallet opens with everything filled in. */
function transferUri({ method, amount, currency, environment }: Transfer, text: string): string {
  if (!('contractAddress' in currency)) throw new Error('a token has a contract')
  const { contractAddress } = currency
  if (method === 'SOLANA') return `solana:$ADDRESS?amount=${text}&spl-token=${contractAddress}`
  const chainId = chainIds[environment][currency.chain as keyof (typeof chainIds)['sandbox']]
  return `ethereum:${contractAddress}@${chainId}/transfer?address=$ADDRESS&uint256=${amount}`
}
