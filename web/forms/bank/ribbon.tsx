import { texts } from '../texts/words.ts'
import { useBank } from './context.ts'
import { chosenRail, countryPath, type OfferedRail, ownerPath, railPath } from './model.ts'

const numbers: Readonly<Record<string, string>> = {
  routingNumber: '021000021',
  iban: 'DE89 3704 0044 0532 0130 00',
  ifscCode: 'HDFC0000123',
  institutionNumber: '003',
  transitNumber: '12345',
  interacEmail: 'ada@example.com',
}

const countries: Readonly<Record<string, string>> = { SEPA: 'DE', CA_INTERAC: 'CA', IN_NEFT_RTGS_IMPS: 'IN' }

/** A sample account of a rail. Its number is new each time, because a customer has each account once. */
function sampleOf({ rail, alternatives }: OfferedRail, accountNumber: string): [path: string, value: string][] {
  const [fields = []] = alternatives
  const answers = fields.map((name) => [name, numbers[name] ?? accountNumber])
  return [
    [countryPath, countries[rail] ?? 'US'],
    [railPath, rail],
    ...[...answers, ['bankName', 'First Example Bank']].map(([name, value = '']): [string, string] => [
      `externalBankAccount.${name}`,
      value,
    ]),
  ]
}

const owner = { type: 'INDIVIDUAL', firstName: 'Ada', lastName: 'Example' }

/** Tools of the sandbox: sample data of the chosen rail, or of the first one. */
export function BankRibbon() {
  const store = useBank()
  const { about, values } = store
  const fill = () => {
    const rail = chosenRail({ state: about, values }) ?? about.rails?.[0]
    if (!rail) return
    const digits = String(crypto.getRandomValues(new Uint32Array(1))[0]).padStart(10, '0')
    for (const [path, value] of sampleOf(rail, digits)) store.set(path, value)
    if (about.owner?.name === '') {
      for (const [name, value] of Object.entries(owner)) store.set(`${ownerPath}.${name}`, value)
    }
    void store.flush()
  }
  return (
    <aside class="ribbon" aria-label={texts.sandbox.ribbon}>
      <strong>{texts.sandbox.ribbon}</strong>
      {about.status === 'OPEN' && !store.isEnded && (
        <button type="button" class="small" onClick={fill}>
          {texts.sandbox.fill}
        </button>
      )}
      <span class="ribbon-hint">{texts.sandbox.hint}</span>
    </aside>
  )
}
