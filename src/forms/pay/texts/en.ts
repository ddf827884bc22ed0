import type { PaymentMethod } from '../../../catalog/payment-methods.ts'
import type { PayState } from '../transfer.ts'

type Notice = readonly [title: string, text: string]

/**
 * The texts of the pay page in one language. Functions get amounts, counts and moments as the formats of the language
 * write them.
 */
export const en = {
  title: 'Payment',
  pay: (amount: string, method: string) => `Pay ${amount} by ${method}`,
  payOn: (amount: string, network: string) => `Pay ${amount} on ${network}`,
  paymentOf: (amount: string, method: string) => `Payment of ${amount} by ${method}`,
  paymentOn: (amount: string, network: string) => `Payment of ${amount} on ${network}`,
  arriveBy: 'The money must have arrived by',
  timeLeft: 'Time left',
  timeOver: 'The time to pay is over. Do not send money any more.',
  received: (received: string, total: string) => `Received ${received} of ${total}`,
  receivedPart: (received: string, total: string, due: string) => `Received ${received} of ${total}, still due ${due}`,
  onItsWay: (amount: string) => `${amount} is on its way.`,
  confirmations: (count: string) => `Confirmations so far: ${count}`,
  states: {
    WAITING: ['Waiting for your payment', 'Send it with the details below.'],
    COVERED: ['We see your payment', 'Do not send it again. It counts as soon as it is final.'],
    OVERDUE: [
      'The time to pay is over',
      'Do not send money any more. Ask the company that sent you here for a new payment.',
    ],
    PROCESSING: ['We have received your payment', 'It is being processed. You have nothing more to do.'],
    COMPLETED: ['The payment is complete', 'You have nothing more to do.'],
    FAILED: ['The payment failed', 'Ask the company that sent you here what to do.'],
    CANCELLED: ['The payment was cancelled', 'Do not send money any more.'],
    EXPIRED: [
      'The time to pay is over',
      'Do not send money any more. Ask the company that sent you here for a new payment.',
    ],
  } as Record<PayState, Notice>,
  sent: (amount: string) => `${amount} that you sent`,
  tooMuch: (amount: string) => `${amount} that was too much`,
  /** An operator can keep returned money for the customer, so a completed return names no account. */
  refunds: {
    PENDING: (money: string) => `${money} is on its way back to the account on file.`,
    COMPLETED: (money: string) => `${money} was returned.`,
    RETURNED: (money: string) => `${money} could not be returned. Ask the company that sent you here.`,
    WAITING_FOR_OPERATOR: (money: string) => `Ask the company that sent you here about ${money}.`,
  },
  instructions: 'Payment details',
  onlyToken: (token: string, network: string) =>
    `Send only ${token} on ${network}. Other tokens, or ${token} on another network, do not arrive and can be lost.`,
  wholeAmount: 'The amount that arrives counts: add the fees of your wallet or exchange.',
  exactMessage: 'Write the message exactly as shown. Without it, we cannot tell that the transfer is yours.',
  ownName: 'Send it from an account in your own name. Other transfers are held back and checked.',
  codes: {
    wallet: [
      'Pay with a wallet',
      'Scan the code with your wallet. Compare network, token and amount before you confirm.',
    ],
    bank: ['Pay with your banking app', 'Scan the code with your banking app. Compare the details before you confirm.'],
  } as Record<'wallet' | 'bank', Notice>,
  codeLabel: 'QR code with the payment details',
  openWallet: 'Open in a wallet on this device',
  lines: {
    amount: 'Amount',
    network: 'Network',
    transferWalletAddress: 'Address',
    tokenContract: 'Token contract',
    transferBankBeneficiaryName: 'Recipient',
    transferIban: 'IBAN',
    transferBicSwift: 'BIC',
    transferBankAccountNumber: 'Account number',
    transferRoutingNumber: 'Routing number',
    transferIfscCode: 'IFSC',
    transferBankCode: 'Institution number',
    transferTransitNumber: 'Transit number',
    transferBankName: 'Bank',
    transferBankAddress: 'Address of the bank',
    transferPaymentLink: 'Payment link',
    transferMessage: 'Message',
  },
  methods: {
    ACH: 'ACH transfer',
    WIRE: 'wire transfer',
    SEPA: 'SEPA transfer',
    CA_INTERAC: 'Interac transfer',
    IN_NEFT_RTGS_IMPS: 'NEFT, RTGS or IMPS transfer',
    ARBITRUM: 'Arbitrum',
    BASE: 'Base',
    ETHEREUM: 'Ethereum',
    OPTIMISM: 'OP Mainnet (Optimism)',
    POLYGON: 'Polygon',
    SOLANA: 'Solana',
  } as Record<PaymentMethod, string>,
  copy: 'Copy',
  /** Tells a screen reader what a button copies. */
  copyLine: (line: string) => `Copy: ${line}`,
  copied: 'Copied',
  selected: 'Selected: copy it now',
  print: 'Print',
  checkAgain: 'Check again',
  live: 'This page follows your payment by itself.',
  notLive: 'The connection is lost. This page tries again by itself.',
  stale:
    'The connection is lost, so this page may be out of date. Do not send money now: the details come back with the connection.',
  ended: 'This page no longer follows your payment. Open your link again before you send money.',
  sandbox: 'Sandbox: no real money moves.',
  notices: {
    sessionEnded: [
      'Open your link again',
      'For your safety this page closes after a while. Open the link that you were sent. If you see this again at once, your browser takes no cookies: allow them, or open the link in another browser.',
    ],
    tooMany: ['Please wait a moment', 'There were too many requests from your network. Try again in a minute.'],
    unavailable: ['The page is not available', 'Please try again in a few minutes.'],
    badLink: [
      'This link does not work',
      'It may be incomplete. Ask the company that sent it to you for a new link, and do not send money before.',
    ],
  } as Record<'sessionEnded' | 'tooMany' | 'unavailable' | 'badLink', Notice>,
}

export type PayTexts = typeof en
