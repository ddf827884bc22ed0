/** The texts of the form of a bank account, in English. */
export const bank = {
  title: 'Bank account',
  brand: 'Bank account',
  details: ['Bank account', 'Start with the country of the bank. The rest follows it.'],
  /** `name`: how the company calls this account. */
  detailsOf: (name: string) => `Bank account: ${name}`,
  check: ['Check the account', 'Compare the numbers with your bank’s papers. Payments go to exactly this account.'],
  /** The rails, by their code. */
  rails: {
    ACH: 'ACH transfer – for everyday payments in US dollars',
    WIRE: 'Wire transfer – for large or urgent payments in US dollars',
    SEPA: 'SEPA transfer in euros',
    CA_INTERAC: 'Interac e-Transfer in Canadian dollars',
    IN_NEFT_RTGS_IMPS: 'NEFT, RTGS or IMPS in Indian rupees',
  },
  /** The ways to name an account, by the first of their fields. */
  ways: { interacEmail: 'By email', institutionNumber: 'By account number' },
  accountTypes: { CHECKING: 'Checking or current account', SAVINGS: 'Savings account' },
  accountTitle: 'Account',
  ownerTitle: 'Account owner',
  ownerIs: (name: string) => `The account belongs to ${name}.`,
  ownerDiffers: 'The name on the account is written differently',
  ownerTypes: { INDIVIDUAL: 'A person', BUSINESS: 'A business' },
  thirdParty: 'This account belongs to someone else. Enter the owner as the bank knows them.',
  withAddress: 'Add the address of the owner (optional)',
  toCheck: 'Continue',
  checking: 'Checking…',
  save: 'Save this account',
  saving: 'Saving…',
  declare: 'After saving, the number is hidden here and cannot be changed with this link.',
  saved: ['The bank account is saved', 'Nothing more is needed from you. You can close this page.'],
  savedOther: [
    'A bank account is saved already',
    'It was saved with this link meanwhile. What you typed here was not used.',
  ],
  waiting: [
    'Your verification comes first',
    'The account must be your own, or that of your business, and the name is not confirmed yet. Finish your verification, or ask the company that sent you the link. For 30 minutes this page continues by itself; after that, open your link again.',
  ],
  closed: [
    'This form is closed',
    'No bank account can be added here any more. Ask the company that sent you the link if you need a new one.',
  ],
  mask: 'Account',
  closingForGood: (time: string) =>
    `For your safety this form closes at ${time}. Save the account before that, or open your link again and start anew.`,
  ended:
    'This form is closed, for your safety, and has forgotten what was typed. Open the link that you were sent, and start again.',
  endedSaved:
    'The bank account is saved. This page is closed, for your safety. Open your link to see the account again.',
  leaveFailed:
    'Your answers are gone from this page, but the form is not closed yet. We keep trying while this window is open.',
  refusals: {
    DUPLICATE_PAYMENT_ACCOUNT: 'This account is registered already. Enter another one, or close this page.',
    RATE_LIMITED: 'There were too many requests from your network. Try again in a minute: what you typed stays here.',
    NO_CONNECTION: 'There is no connection. Check it and try again: what you typed stays here.',
    OTHER: 'This did not work, and it is not your fault. Try again in a minute: what you typed stays here.',
  },
}

export const bankLabels = {
  bankCountry: 'Country of the bank',
  way: 'How to reach the account',
  'externalBankAccount.bankAccountPaymentMethod': 'How the money travels',
  'externalBankAccount.routingNumber': 'Routing number',
  'externalBankAccount.accountNumber': 'Account number',
  'externalBankAccount.iban': 'IBAN',
  'externalBankAccount.bicSwift': 'BIC (SWIFT code)',
  'externalBankAccount.ifscCode': 'IFSC',
  'externalBankAccount.institutionNumber': 'Institution number',
  'externalBankAccount.transitNumber': 'Transit number',
  'externalBankAccount.interacEmail': 'Email for Interac e-Transfer',
  'externalBankAccount.bankName': 'Name of the bank',
  'externalBankAccount.bankAddress': 'Address of the bank',
  'externalBankAccount.bankAccountType': 'Kind of account',
  'externalBankAccount.bankAccountOwner': 'Account owner',
  'bankAccountOwner.type': 'Who owns the account?',
  'bankAccountOwner.firstName': 'First name',
  'bankAccountOwner.lastName': 'Last name',
  'bankAccountOwner.businessName': 'Name of the business',
  'bankAccountOwner.email': 'Email of the owner',
  'bankAccountOwner.address.countryCode': 'Country',
}

export const bankHints = {
  'externalBankAccount.routingNumber': '9 digits, on a cheque at the bottom left.',
  'externalBankAccount.iban': 'For example DE89 3704 0044 0532 0130 00.',
  'externalBankAccount.bicSwift': '8 or 11 characters, for example COBADEFFXXX.',
  'externalBankAccount.ifscCode': '11 characters, for example HDFC0000123.',
  'externalBankAccount.institutionNumber': '3 digits.',
  'externalBankAccount.transitNumber': '5 digits.',
  'externalBankAccount.interacEmail': 'The address that your bank has for Interac e-Transfer.',
}

/** The words for broken rules of bank accounts. {field} is the label, {demand} what the rule demands. */
export const bankRules = {
  ROUTING_NUMBER: '{field}: this is no routing number. Check all 9 digits',
  DIGITS: '{field}: enter {demand} digits',
  IBAN_COUNTRY: '{field}: start with the two letters of a country, such as DE',
  IBAN_FORMAT: '{field}: it is too short, too long, or has a wrong character for its country',
  IBAN_CHECK_DIGITS: '{field}: there is a typing mistake in it. Compare it with your bank’s papers',
  IBAN_SEPA: '{field}: this country is outside of the SEPA area',
  BIC: '{field}: enter 8 or 11 characters, such as COBADEFFXXX',
  IFSC: '{field}: enter 11 characters, such as HDFC0000123',
  IBAN_OF_COUNTRY: '{field}: at a bank of the chosen country it starts with {demand}. Check the number and the country',
  OWNER_NAME: '{field}: this account must be your own. Enter your name as the bank writes it',
  DUPLICATE: '{field}: this account is registered already. Enter another one',
}
