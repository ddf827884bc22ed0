import type { PayTexts } from './en.ts'

const over = [
  'Le délai de paiement est écoulé',
  'N’envoyez plus d’argent. Demandez un nouveau paiement à l’entreprise qui vous a envoyé ici.',
] as const

/** The texts of the pay page in French. */
export const fr: PayTexts = {
  title: 'Paiement',
  pay: (amount, method) => `Payez ${amount} par ${method}`,
  payOn: (amount, network) => `Payez ${amount} sur ${network}`,
  paymentOf: (amount, method) => `Paiement de ${amount} par ${method}`,
  paymentOn: (amount, network) => `Paiement de ${amount} sur ${network}`,
  arriveBy: 'L’argent doit être arrivé avant :',
  timeLeft: 'Temps restant',
  timeOver: 'Le délai de paiement est passé. N’envoyez plus d’argent.',
  received: (received, total) => `Reçu : ${received} sur ${total}`,
  receivedPart: (received, total, due) => `Reçu : ${received} sur ${total} ; reste à payer : ${due}`,
  onItsWay: (amount) => `En route : ${amount}.`,
  confirmations: (count) => `Confirmations jusqu’ici : ${count}`,
  states: {
    WAITING: ['Nous attendons votre paiement', 'Envoyez-le avec les données ci-dessous.'],
    COVERED: ['Nous voyons votre paiement', 'Ne l’envoyez pas une deuxième fois. Il compte dès qu’il est définitif.'],
    OVERDUE: over,
    PROCESSING: ['Nous avons reçu votre paiement', 'Il est en cours de traitement. Vous n’avez plus rien à faire.'],
    COMPLETED: ['Le paiement est terminé', 'Vous n’avez plus rien à faire.'],
    FAILED: ['Le paiement a échoué', 'Demandez à l’entreprise qui vous a envoyé ici ce qu’il faut faire.'],
    CANCELLED: ['Le paiement a été annulé', 'N’envoyez plus d’argent.'],
    EXPIRED: over,
  },
  sent: (amount) => `Envoyé par vous : ${amount}`,
  tooMuch: (amount) => `Payé en trop : ${amount}`,
  refunds: {
    PENDING: (money) => `${money}. Ce montant est en route vers le compte enregistré.`,
    COMPLETED: (money) => `${money}. Ce montant a été rendu.`,
    RETURNED: (money) =>
      `${money}. Ce montant n’a pas pu être rendu. Adressez-vous à l’entreprise qui vous a envoyé ici.`,
    WAITING_FOR_OPERATOR: (money) =>
      `${money}. Adressez-vous à l’entreprise qui vous a envoyé ici au sujet de ce montant.`,
  },
  instructions: 'Données du paiement',
  onlyToken: (token, network) =>
    `Envoyez uniquement ${token} sur ${network}. D’autres jetons, ou ${token} sur un autre réseau, n’arrivent pas et peuvent être perdus.`,
  wholeAmount: 'Le montant qui arrive compte : ajoutez les frais de votre portefeuille ou de votre plateforme.',
  exactMessage:
    'Écrivez le message exactement comme affiché. Sans lui, nous ne pouvons pas savoir que le virement est le vôtre.',
  ownName: 'Envoyez-le depuis un compte à votre propre nom. Les autres virements sont retenus et vérifiés.',
  codes: {
    wallet: [
      'Payer avec un portefeuille',
      'Scannez le code avec votre portefeuille. Comparez le réseau, le jeton et le montant avant de confirmer.',
    ],
    bank: [
      'Payer avec votre application bancaire',
      'Scannez le code avec votre application bancaire. Comparez les données avant de confirmer.',
    ],
  },
  codeLabel: 'Code QR avec les données du paiement',
  openWallet: 'Ouvrir dans un portefeuille de cet appareil',
  lines: {
    amount: 'Montant',
    network: 'Réseau',
    transferWalletAddress: 'Adresse',
    tokenContract: 'Contrat du jeton',
    transferBankBeneficiaryName: 'Bénéficiaire',
    transferIban: 'IBAN',
    transferBicSwift: 'BIC',
    transferBankAccountNumber: 'Numéro de compte',
    transferRoutingNumber: 'Numéro d’acheminement (routing number)',
    transferIfscCode: 'IFSC',
    transferBankCode: 'Numéro d’institution',
    transferTransitNumber: 'Numéro de transit',
    transferBankName: 'Banque',
    transferBankAddress: 'Adresse de la banque',
    transferPaymentLink: 'Lien de paiement',
    transferMessage: 'Message',
  },
  methods: {
    ACH: 'virement ACH',
    WIRE: 'virement wire',
    SEPA: 'virement SEPA',
    CA_INTERAC: 'virement Interac',
    IN_NEFT_RTGS_IMPS: 'virement NEFT, RTGS ou IMPS',
    ARBITRUM: 'Arbitrum',
    BASE: 'Base',
    ETHEREUM: 'Ethereum',
    OPTIMISM: 'OP Mainnet (Optimism)',
    POLYGON: 'Polygon',
    SOLANA: 'Solana',
  },
  copy: 'Copier',
  copyLine: (line) => `Copier : ${line}`,
  copied: 'Copié',
  selected: 'Sélectionné : copiez-le maintenant',
  print: 'Imprimer',
  checkAgain: 'Vérifier à nouveau',
  live: 'Cette page suit votre paiement automatiquement.',
  notLive: 'La connexion est perdue. Cette page réessaie automatiquement.',
  stale:
    'La connexion est interrompue, cette page n’est donc peut-être plus à jour. N’envoyez pas d’argent maintenant : les données reviendront avec la connexion.',
  ended: 'Cette page ne suit plus votre paiement. Ouvrez de nouveau votre lien avant d’envoyer de l’argent.',
  sandbox: 'Environnement de test : aucun argent réel ne circule.',
  notices: {
    sessionEnded: [
      'Rouvrez votre lien',
      'Pour votre sécurité, cette page se ferme après un certain temps. Ouvrez le lien que vous avez reçu. Si vous revoyez ceci aussitôt, votre navigateur refuse les cookies : autorisez-les, ou ouvrez le lien dans un autre navigateur.',
    ],
    tooMany: ['Veuillez patienter', 'Trop de requêtes proviennent de votre réseau. Réessayez dans une minute.'],
    unavailable: ['La page n’est pas disponible', 'Veuillez réessayer dans quelques minutes.'],
    badLink: [
      'Ce lien ne fonctionne pas',
      'Il est peut-être incomplet. Demandez un nouveau lien à l’entreprise qui vous l’a envoyé, et n’envoyez pas d’argent avant.',
    ],
  },
}
