import type { PayTexts } from './en.ts'

const over = [
  'Die Zeit zum Zahlen ist abgelaufen',
  'Senden Sie kein Geld mehr. Bitten Sie das Unternehmen, das Sie hierher geschickt hat, um eine neue Zahlung.',
] as const

/** The texts of the pay page in German. */
export const de: PayTexts = {
  title: 'Zahlung',
  pay: (amount, method) => `Zahlen Sie ${amount} per ${method}`,
  payOn: (amount, network) => `Zahlen Sie ${amount} auf ${network}`,
  paymentOf: (amount, method) => `Zahlung von ${amount} per ${method}`,
  paymentOn: (amount, network) => `Zahlung von ${amount} auf ${network}`,
  arriveBy: 'Das Geld muss angekommen sein bis:',
  timeLeft: 'Verbleibende Zeit',
  timeOver: 'Die Zeit zum Zahlen ist abgelaufen. Senden Sie kein Geld mehr.',
  received: (received, total) => `Erhalten: ${received} von ${total}`,
  receivedPart: (received, total, due) => `Erhalten: ${received} von ${total}, noch offen: ${due}`,
  onItsWay: (amount) => `Unterwegs: ${amount}.`,
  confirmations: (count) => `Bestätigungen bisher: ${count}`,
  states: {
    WAITING: ['Wir warten auf Ihre Zahlung', 'Senden Sie sie mit den Angaben unten.'],
    COVERED: ['Wir sehen Ihre Zahlung', 'Senden Sie sie nicht noch einmal. Sie zählt, sobald sie endgültig ist.'],
    OVERDUE: over,
    PROCESSING: ['Wir haben Ihre Zahlung erhalten', 'Sie wird bearbeitet. Sie müssen nichts weiter tun.'],
    COMPLETED: ['Die Zahlung ist abgeschlossen', 'Sie müssen nichts weiter tun.'],
    FAILED: [
      'Die Zahlung ist fehlgeschlagen',
      'Fragen Sie das Unternehmen, das Sie hierher geschickt hat, was zu tun ist.',
    ],
    CANCELLED: ['Die Zahlung wurde abgebrochen', 'Senden Sie kein Geld mehr.'],
    EXPIRED: over,
  },
  sent: (amount) => `Von Ihnen gesendet: ${amount}`,
  tooMuch: (amount) => `Zu viel gezahlt: ${amount}`,
  refunds: {
    PENDING: (money) => `${money}. Der Betrag ist auf dem Weg zurück auf das hinterlegte Konto.`,
    COMPLETED: (money) => `${money}. Der Betrag wurde zurückgezahlt.`,
    RETURNED: (money) =>
      `${money}. Die Rückzahlung war nicht möglich. Fragen Sie das Unternehmen, das Sie hierher geschickt hat.`,
    WAITING_FOR_OPERATOR: (money) => `${money}. Fragen Sie dazu das Unternehmen, das Sie hierher geschickt hat.`,
  },
  instructions: 'Angaben zur Zahlung',
  onlyToken: (token, network) =>
    `Senden Sie nur ${token} auf ${network}. Andere Token, oder ${token} auf einem anderen Netzwerk, kommen nicht an und können verloren gehen.`,
  wholeAmount: 'Es zählt der Betrag, der ankommt: Rechnen Sie die Gebühren Ihrer Wallet oder Börse dazu.',
  exactMessage:
    'Schreiben Sie den Verwendungszweck genau wie gezeigt. Ohne ihn erkennen wir nicht, dass die Überweisung von Ihnen ist.',
  ownName:
    'Senden Sie sie von einem Konto auf Ihren eigenen Namen. Andere Überweisungen werden zurückgehalten und geprüft.',
  codes: {
    wallet: [
      'Mit einer Wallet zahlen',
      'Scannen Sie den Code mit Ihrer Wallet. Vergleichen Sie Netzwerk, Token und Betrag, bevor Sie bestätigen.',
    ],
    bank: [
      'Mit Ihrer Banking-App zahlen',
      'Scannen Sie den Code mit Ihrer Banking-App. Vergleichen Sie die Angaben, bevor Sie bestätigen.',
    ],
  },
  codeLabel: 'QR-Code mit den Angaben zur Zahlung',
  openWallet: 'In einer Wallet auf diesem Gerät öffnen',
  lines: {
    amount: 'Betrag',
    network: 'Netzwerk',
    transferWalletAddress: 'Adresse',
    tokenContract: 'Vertrag des Tokens',
    transferBankBeneficiaryName: 'Empfänger',
    transferIban: 'IBAN',
    transferBicSwift: 'BIC',
    transferBankAccountNumber: 'Kontonummer',
    transferRoutingNumber: 'Routing-Nummer',
    transferIfscCode: 'IFSC',
    transferBankCode: 'Institutsnummer',
    transferTransitNumber: 'Transit-Nummer',
    transferBankName: 'Bank',
    transferBankAddress: 'Adresse der Bank',
    transferPaymentLink: 'Zahlungslink',
    transferMessage: 'Verwendungszweck',
  },
  methods: {
    ACH: 'ACH-Überweisung',
    WIRE: 'Wire-Überweisung',
    SEPA: 'SEPA-Überweisung',
    CA_INTERAC: 'Interac-Überweisung',
    IN_NEFT_RTGS_IMPS: 'NEFT-, RTGS- oder IMPS-Überweisung',
    ARBITRUM: 'Arbitrum',
    BASE: 'Base',
    ETHEREUM: 'Ethereum',
    OPTIMISM: 'OP Mainnet (Optimism)',
    POLYGON: 'Polygon',
    SOLANA: 'Solana',
  },
  copy: 'Kopieren',
  copyLine: (line) => `Kopieren: ${line}`,
  copied: 'Kopiert',
  selected: 'Markiert: jetzt kopieren',
  print: 'Drucken',
  checkAgain: 'Erneut prüfen',
  live: 'Diese Seite verfolgt Ihre Zahlung von selbst.',
  notLive: 'Die Verbindung ist unterbrochen. Diese Seite versucht es von selbst erneut.',
  stale:
    'Die Verbindung ist unterbrochen, daher ist diese Seite vielleicht nicht aktuell. Senden Sie jetzt kein Geld: Die Angaben kommen mit der Verbindung wieder.',
  ended: 'Diese Seite verfolgt Ihre Zahlung nicht mehr. Öffnen Sie Ihren Link erneut, bevor Sie Geld senden.',
  sandbox: 'Testumgebung: Es wird kein echtes Geld bewegt.',
  notices: {
    sessionEnded: [
      'Öffnen Sie Ihren Link erneut',
      'Zu Ihrer Sicherheit schließt sich diese Seite nach einer Weile. Öffnen Sie den Link, den Sie erhalten haben. Wenn Sie dies sofort wieder sehen, nimmt Ihr Browser keine Cookies an: Erlauben Sie sie, oder öffnen Sie den Link in einem anderen Browser.',
    ],
    tooMany: [
      'Bitte warten Sie einen Moment',
      'Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es in einer Minute erneut.',
    ],
    unavailable: ['Die Seite ist nicht verfügbar', 'Bitte versuchen Sie es in einigen Minuten erneut.'],
    badLink: [
      'Dieser Link funktioniert nicht',
      'Er ist vielleicht unvollständig. Bitten Sie das Unternehmen, das ihn geschickt hat, um einen neuen Link, und senden Sie vorher kein Geld.',
    ],
  },
}
