import { useEffect, useState } from 'preact/hooks'
import { listAt, read, readText } from '../model/paths.ts'
import { latinDigits } from '../texts/format.ts'
import { nameOf, savedSuggestion, suggestionOf, texts, wordsOfCode } from '../texts/words.ts'
import { useFields, useForm } from './context.ts'
import { optionsOf } from './kinds.ts'

export type ControlProps = {
  path: string
  id: string
  label: string
  describedBy: string | undefined
  isInvalid: boolean
  isRequired: boolean
  kind?: string
}

/** What the browser may fill in by itself. */
const autoComplete: Readonly<Record<string, string>> = {
  'kycData.legalFirstName': 'given-name',
  'kycData.legalMiddleName': 'additional-name',
  'kycData.legalLastName': 'family-name',
  'kycData.phoneNumber': 'tel',
  'kycData.address.streetLine1': 'address-line1',
  'kycData.address.streetLine2': 'address-line2',
  'kycData.address.city': 'address-level2',
  'kycData.address.postalCode': 'postal-code',
  'kycData.address.stateRegionProvince': 'address-level1',
  'kycData.address.countryCode': 'country',
  'kybData.businessInfo.legalBusinessName': 'organization',
}

/** The longest text that the service saves for a field without a limit of its own. */
const mostText = 2_000

/** Types that bring the right keyboard. */
const inputTypes: Readonly<Record<string, 'text'>> = {
  phoneNumber: 'tel' as 'text',
  website: 'url' as 'text',
  email: 'email' as 'text',
  interacEmail: 'email' as 'text',
}

/** Numbers of banks. The keyboard has digits, and they may be typed in groups. */
const bankNumbers = ['routingNumber', 'accountNumber', 'institutionNumber', 'transitNumber']

const shared = ({ id, describedBy, isInvalid, isRequired }: ControlProps) => ({
  id,
  'aria-describedby': describedBy,
  'aria-invalid': isInvalid || undefined,
  'aria-required': isRequired || undefined,
})

const textIn = (event: Event) => latinDigits((event.currentTarget as HTMLInputElement).value)

/** Numbers and addresses are written from left to right in every language; other answers as their first letter is. */
const leftToRight = /^(?:phoneNumber|website|email|postalCode|ownershipPercentage)$|Number$/
const directionOf = (path: string): 'ltr' | 'auto' => (leftToRight.test(nameOf(path)) ? 'ltr' : 'auto')

export function TextInput(props: ControlProps) {
  const { store, catalog } = useFields()
  const { path, kind } = props
  const value = readText(store.state.values, path)
  const max = catalog.lengths[nameOf(path)]?.max
  const common = {
    ...shared(props),
    value,
    dir: directionOf(path),
    maxLength: max ?? mostText,
    onInput: (event: Event) => store.set(path, textIn(event)),
    onBlur: () => void store.flush(),
  }
  if (kind === 'long') return <textarea {...common} rows={4} />
  const isShort = /postalCode|stateRegion|RegistrationNumber|routing|institution|transit|bicSwift|ifscCode/.test(path)
  return (
    <input
      {...common}
      class={isShort ? 'short' : undefined}
      type={inputTypes[nameOf(path)] ?? 'text'}
      inputMode={bankNumbers.includes(nameOf(path)) ? 'numeric' : undefined}
      autocomplete={autoComplete[path] ?? 'off'}
      spellcheck={false}
    />
  )
}

/** A number. What is no number is saved as typed, and the service tells what is wrong with it. */
export function NumberInput(props: ControlProps) {
  const { store } = useFields()
  const [typed, setTyped] = useState<string>()
  const saved = readText(store.state.values, props.path)
  // "12." and "12,0" are on their way to a number: they stay as typed while they mean what is saved.
  const value = typed !== undefined && String(numberIn(typed)) === saved ? typed : saved
  const change = (event: Event) => {
    setTyped(textIn(event))
    store.set(props.path, numberIn(textIn(event)))
  }
  return (
    <input
      {...shared(props)}
      class="short"
      inputMode="decimal"
      dir="ltr"
      autocomplete="off"
      maxLength={20}
      value={value}
      onInput={change}
      onBlur={() => void store.flush()}
    />
  )
}

function numberIn(text: string): number | string {
  const written = text
    .trim()
    .replace(/[,٫]/, '.')
    .replace(/\s*[%٪]$/, '')
  return /^\d+\.?\d*$/.test(written) ? Number(written) : text.trim()
}

export function ChoiceInput(props: ControlProps) {
  const { store, catalog } = useFields()
  const { values } = store.state
  const options = optionsOf(props.path, catalog, values) ?? []
  const value = readText(values, props.path)
  const isKnown = value === '' || options.some(([code]) => code === value)
  const change = (event: Event) => {
    store.set(props.path, textIn(event))
    void store.flush()
  }
  return (
    <select {...shared(props)} value={value} onChange={change} autocomplete={autoComplete[props.path] ?? 'off'}>
      <option value="">{texts.choose}</option>
      {!isKnown && <option value={value}>{wordsOfCode(value)}</option>}
      {options.map(([code, words]) => (
        <option key={code} value={code}>
          {words}
        </option>
      ))}
    </select>
  )
}

export function SuggestInput(props: ControlProps) {
  const { store, catalog } = useFields()
  const list = catalog.suggestions[nameOf(props.path)] ?? []
  return (
    <>
      <input
        {...shared(props)}
        type="text"
        list={`${props.id}-list`}
        autocomplete="off"
        maxLength={200}
        dir="auto"
        value={suggestionOf(readText(store.state.values, props.path))}
        onInput={(event) => store.set(props.path, savedSuggestion(textIn(event)))}
      />
      <datalist id={`${props.id}-list`}>
        {list.map((code) => (
          <option key={code} value={suggestionOf(code)} />
        ))}
      </datalist>
    </>
  )
}

/** A number that the server never sends back. */
export function HiddenNumber(props: ControlProps) {
  const { store, catalog } = useForm()
  const { path } = props
  const isGiven = store.state.given.includes(path)
  // The answer to a save has no number, so that this control keeps what is typed until the customer leaves the page.
  const [typed, setTyped] = useState(() => readText(store.state.values, path))
  const lost = store.elsewhere.lost.findLast(({ field }) => field === path)
  useEffect(() => {
    // The page asks for the number again, so it shows none.
    if (lost) setTyped(readText(store.state.values, path))
  }, [lost])
  const change = (event: Event) => {
    setTyped(textIn(event))
    store.set(path, textIn(event))
  }
  return (
    <>
      {isGiven && typed === '' && (
        <p class="given">
          <span class="tick" aria-hidden="true" />
          {texts.given}. {texts.replaceGiven}
        </p>
      )}
      <input
        {...shared(props)}
        type="text"
        dir="ltr"
        autocomplete="off"
        spellcheck={false}
        maxLength={catalog.lengths[nameOf(path)]?.max}
        value={typed}
        onInput={change}
        onBlur={() => void store.flush()}
      />
    </>
  )
}

export function YesNo({ path, id, label }: ControlProps) {
  const { store } = useFields()
  const answers = [
    [true, texts.yes],
    [false, texts.no],
  ] as const
  const choose = (answer: boolean) => {
    store.set(path, answer)
    void store.flush()
  }
  return <Radios id={id} label={label} options={answers} value={read(store.state.values, path)} onChoose={choose} />
}

type RadiosProps<Value> = {
  id: string
  label: string
  options: readonly (readonly [value: Value, words: string])[]
  value: unknown
  onChoose(value: Value): void
}

export function Radios<Value>({ id, label, options, value, onChoose }: RadiosProps<Value>) {
  return (
    <div class="radios" role="radiogroup" aria-label={label}>
      {options.map(([option, words]) => (
        <label class="radio" key={words}>
          <input type="radio" name={id} checked={value === option} onChange={() => onChoose(option)} />
          <span>{words}</span>
        </label>
      ))}
    </div>
  )
}

export function CheckList({ path }: ControlProps) {
  const { store, catalog } = useFields()
  const chosen = listAt(store.state.values, path) as unknown as string[]
  const toggle = (code: string) => {
    store.set(path, chosen.includes(code) ? chosen.filter((each) => each !== code) : [...chosen, code])
    void store.flush()
  }
  return (
    <div class="checks">
      {(optionsOf(path, catalog, store.state.values) ?? []).map(([code, words]) => (
        <label class="radio" key={code}>
          <input type="checkbox" checked={chosen.includes(code)} onChange={() => toggle(code)} />
          <span>{words}</span>
        </label>
      ))}
    </div>
  )
}
