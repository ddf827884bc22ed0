import { Refusal } from '../lib/refusal.ts'

/**
 * The rule that an answer or a file breaks, with what it demands: a length, or an example. The pages have words for each
 * rule in the customer's language; the messages of the API are for programs.
 */
export type BrokenRule = { rule: string; demand?: string }

/** The rules by the messages of the API. A group in a pattern is what the rule demands; the first pattern counts. */
// biome-ignore format: a table is read by column
const rulesByMessage: readonly (readonly [message: RegExp, rule: string])[] = [
  [/^(?:is required(?: for .*| while .*)?|must not be empty)$/,                  'REQUIRED'],
  [/^(?:must have at most (\d+) characters|is too long)$/,                       'TOO_LONG'],
  [/^must have at least (\d+) characters$/,                                      'TOO_SHORT'],
  [/^must be a date /,                                                           'DATE'],
  [/^must be a postal code as written in \w+, such as (.+)$/,                    'POSTAL_CODE'],
  [/^must have (?:1 to 20 characters|only letters, digits, spaces and hyphens)$/, 'POSTAL_CODE_LETTERS'],
  [/^must be the two-letter code, in capitals, of .*, such as (.+)$/,            'REGION'],
  [/^must be (?:sent together with|null as well)/,                               'NATIONAL_ID'],
  [/^must be an ISO 3166-1 alpha-2 country code/,                                'COUNTRY'],
  [/^must be a phone number/,                                                    'PHONE_NUMBER'],
  [/^must be a web address/,                                                     'WEB_ADDRESS'],
  [/^must be an email address/,                                                  'EMAIL'],
  [/^must be an ABA routing number/,                                             'ROUTING_NUMBER'],
  [/^must have (\d+) to (\d+) digits/,                                           'DIGITS'],
  [/^must have (\d+) digits/,                                                    'DIGITS'],
  [/^must begin with the code of a country that uses IBANs/,                     'IBAN_COUNTRY'],
  [/^must have the (?:length|format) of an IBAN/,                                'IBAN_FORMAT'],
  [/^must have valid check digits/,                                              'IBAN_CHECK_DIGITS'],
  [/^must belong to a country in the SEPA area/,                                 'IBAN_SEPA'],
  [/^must begin with (\w\w), the country of the bank/,                            'IBAN_OF_COUNTRY'],
  [/^must be the customer/,                                                      'OWNER_NAME'],
  [/^is registered already/,                                                    'DUPLICATE'],
  [/^must not be an account that this service has issued/,                       'DUPLICATE'],
  [/^must be a BIC /,                                                            'BIC'],
  [/^must be an IFSC /,                                                          'IFSC'],
  [/^must be (?:one of|a code of letters)/,                                      'CHOICE'],
  [/^must be a file of /,                                                        'FILE_SIZE'],
  [/^must be a JPG, PNG or PDF whose content/,                                   'FILE_TYPE'],
  [/^must be a whole, undamaged /,                                               'FILE_DAMAGED'],
  [/^must be at least 200 pixels|^must have at most \d+ megapixels/,             'FILE_PIXELS'],
  [/^must be a still picture/,                                                   'FILE_ANIMATED'],
  [/^must not need a password/,                                                  'FILE_PASSWORD'],
  [/^must have 1 to \d+ pages/,                                                  'FILE_PAGES'],
  [/^must not (?:have|contain|use) |^is too complex/,                            'FILE_CONTENT'],
  [/^must be (?:a number|at least|at most)/,                                     'NUMBER'],
]

/** Names the rule behind a message of the API. A message without a rule of its own is an answer that is not valid. */
export function ruleOf(message: string): BrokenRule {
  for (const [pattern, rule] of rulesByMessage) {
    const found = pattern.exec(message)
    // Two numbers are the ends of a range.
    if (found) return { rule, ...(found[1] === undefined ? {} : { demand: found.slice(1).join('–') }) }
  }
  return { rule: 'INVALID' }
}

/** Throws a refusal on to the pages, with the rule of each problem. */
export function tellRules(error: unknown): never {
  if (!(error instanceof Refusal) || !error.details) throw error
  const details = error.details.map((detail) => ({ ...detail, ...ruleOf(detail.message) }))
  throw new Refusal(error.code, error.message, { details, headers: error.headers })
}
