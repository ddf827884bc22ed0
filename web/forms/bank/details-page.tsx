import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Radios } from '../fields/inputs.tsx'
import { idOf, Question } from '../fields/question.tsx'
import { labelOf } from '../model/labels.ts'
import { read, readText } from '../model/paths.ts'
import { ErrorSummary } from '../pages/layout.tsx'
import { textAt, texts } from '../texts/words.ts'
import { useBank } from './context.ts'
import { Frame } from './frame.tsx'
import {
  accountTypePath,
  chosenRail,
  countryPath,
  differsPath,
  fieldsOf,
  ownerPath,
  railPath,
  railsOf,
  wayPath,
  withAddressPath,
} from './model.ts'

type Said = (path: string) => string | undefined

/** The answers on one page: the country and the rail first, then the fields of that rail, then the owner. */
export function DetailsPage({ onDone }: { onDone(): void }) {
  const store = useBank()
  const [attempts, setAttempts] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')
  const problems = store.problems(attempts > 0)
  const said: Said = (path) => problems.find(({ place }) => place === path)?.text
  const proceed = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    const code = await store.check()
    setBusy(false)
    setFailure(code === undefined ? '' : (textAt(texts.bank.refusals, code) ?? texts.bank.refusals.OTHER))
    setAttempts(attempts + 1)
    if (code === undefined && store.problems(true).length === 0) onDone()
  }
  const { nickname } = store.about
  const [title = '', hint = ''] = texts.bank.details
  const summary = attempts > 0 && <ErrorSummary problems={problems} count={attempts} onGo={() => undefined} />
  return (
    <Frame title={nickname ? texts.bank.detailsOf(nickname) : title} hint={hint} of="details" above={summary}>
      <form onSubmit={proceed} noValidate>
        <Place said={said} />
        <Account said={said} />
        <div role="alert">{failure && <p class="problem">{failure}</p>}</div>
        <div class="actions">
          <button type="submit" aria-disabled={isBusy}>
            {isBusy ? texts.bank.checking : texts.bank.toCheck}
          </button>
        </div>
      </form>
    </Frame>
  )
}

/** The country of the bank, and the rail where it has several. */
function Place({ said }: { said: Said }) {
  const store = useBank()
  const answers = { state: store.about, values: store.values }
  const rails = railsOf(answers)
  const words = (rail: string) => textAt(texts.bank.rails, rail) ?? rail
  const [only] = rails
  return (
    <>
      <Question path={countryPath} problem={said(countryPath)} />
      {rails.length === 1 && only && (
        <p class="given">
          <span class="tick" aria-hidden="true" />
          {words(only.rail)}
        </p>
      )}
      {rails.length > 1 && (
        <Choice path={railPath} problem={said(railPath)} options={rails.map(({ rail }) => [rail, words(rail)])} />
      )}
    </>
  )
}

/** The fields of the chosen rail, and the owner. */
function Account({ said }: { said: Said }) {
  const store = useBank()
  const answers = { state: store.about, values: store.values }
  const rail = chosenRail(answers)
  if (!rail) return null
  const { account, owner } = fieldsOf(answers, store.catalog)
  const ways = rail.alternatives.map(
    ([first = ''], at) => [String(at), textAt(texts.bank.ways, first) ?? first] as const,
  )
  return (
    <>
      <section class="part">
        <h2>{texts.bank.accountTitle}</h2>
        {ways.length > 1 && <Choice path={wayPath} options={ways} standard="0" />}
        {account.map((path) =>
          path === accountTypePath ? (
            <Choice key={path} path={path} options={Object.entries(texts.bank.accountTypes)} standard="CHECKING" />
          ) : (
            <Question key={path} path={path} problem={said(path)} />
          ),
        )}
      </section>
      <section class="part">
        <h2>{texts.bank.ownerTitle}</h2>
        <Owner fields={owner} said={said} />
      </section>
    </>
  )
}

function Owner({ fields, said }: { fields: readonly string[]; said: Said }) {
  const { about } = useBank()
  const { name = '', isThirdParty = false } = about.owner ?? {}
  const types = Object.entries(texts.bank.ownerTypes)
  const isInAddress = (path: string) => path.startsWith(`${ownerPath}.address.`)
  const show = (path: string) => <Question key={path} path={path} problem={said(path)} />
  return (
    <>
      {isThirdParty && <p>{texts.bank.thirdParty}</p>}
      {name !== '' && (
        <>
          <p>{texts.bank.ownerIs(name)}</p>
          <Tick path={differsPath}>{texts.bank.ownerDiffers}</Tick>
        </>
      )}
      {fields
        .filter((path) => !isInAddress(path))
        .map((path) =>
          path === `${ownerPath}.type` ? (
            <Choice key={path} path={path} problem={said(path)} options={types} />
          ) : (
            show(path)
          ),
        )}
      {fields.includes(`${ownerPath}.email`) && <Tick path={withAddressPath}>{texts.bank.withAddress}</Tick>}
      {fields.filter(isInAddress).map(show)}
    </>
  )
}

function Tick({ path, children }: { path: string; children: ComponentChildren }) {
  const store = useBank()
  const isChosen = read(store.values, path) === true
  return (
    <label class="radio apart">
      <input type="checkbox" checked={isChosen} onChange={() => store.set(path, !isChosen)} />
      <span>{children}</span>
    </label>
  )
}

type ChoiceProps = {
  path: string
  options: readonly (readonly [code: string, words: string])[]
  problem?: string | undefined
  /** What no answer means. */
  standard?: string
}

/** A question with a few answers, all in sight. */
function Choice({ path, options, problem, standard }: ChoiceProps) {
  const store = useBank()
  const id = idOf(path)
  const label = labelOf(path, store.values)
  const choose = (code: string) => {
    store.set(path, code)
    void store.flush()
  }
  return (
    <fieldset class="field" id={id} tabIndex={-1} aria-describedby={problem && `${id}-problem`}>
      <legend>{label}</legend>
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      <Radios
        id={id}
        label={label}
        options={options}
        value={readText(store.values, path) || standard}
        onChoose={choose}
      />
    </fieldset>
  )
}
