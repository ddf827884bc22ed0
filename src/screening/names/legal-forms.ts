/** Legal forms of one word, which are not compared. */
const words: ReadonlySet<string> = new Set(
  `ab ad ag akts aksjeselskap aktiebolag aktiengesellschaft aktieselskab anonim anonima anonyme ao aps as asa bhd bv bvba ca cjsc co companies company
  corp corporation cv cyf dd doo dooel ead ehf eirl eireli eg eood epe etrl eurl ev fz fzc fzco fze fzllc gbr gesellschaft gie gk gmbh gmbhco hf
  inc incorporated ip ik is jsc jv kb kd kda kft kg kgaa kk kollektif kt kv lda limitada limitata limited limitee llc llp lllp lp ltd ltda mbh mchj ab
  mmc nv oao obshchestvo obschestvo ohg ojsc oo ooo ood oop otvetstvennostyu ou oy oyj osauhing pao pc pjsc plc pllc private prl ps pt pte ptd pty pvt
  qjsc qsc rl rt sa saa sab sac sae sal saoc saog sapi sarl sarlu sas sasu sc sca scop scrl scs sdn se sgps sia sicav sirketi slne slu smsa snc soc sociedad
  societe spa spk spol spolka spoo spzoo sprl srl srls sro sti tbk tic tmi too tov ug uab ultd unipessoal unlimited vof vsi wll yk zao zoo zrt aktsiaselts lc`
    .trim()
    .split(/\s+/),
)

/** Legal forms of several words, longest first. A name is compared without them. */
const phrases: readonly (readonly string[])[] = `
  obshchestvo s ogranichennoy otvetstvennostyu|obshchestvo s ogranichennoi otvetstvennostiu|obshchestvo s ogranichennoi otvetstvennostyu
  publichnoe aktsionernoe obshchestvo|otkrytoe aktsionernoe obshchestvo|zakrytoe aktsionernoe obshchestvo|aktsionernoe obshchestvo
  tovarystvo z obmezhenoyu vidpovidalnistyu|gesellschaft mit beschrankter haftung|gesellschaft mit beschraenkter haftung|mit beschrankter haftung
  societe a responsabilite limitee|societe par actions simplifiee|societe anonyme|societa a responsabilita limitata|societa per azioni
  sociedad de responsabilidad limitada de capital variable|sociedad anonima de capital variable|sociedad por acciones simplificada
  sociedad de responsabilidad limitada|sociedad anonima cerrada|sociedad anonima|sociedade anonima|sociedade limitada|sociedad limitada
  s de rl de cv|s de r l de c v|sa de cv|s a de c v|s en c|sapi de cv|sab de cv|de cv|de rl
  sp z oo|sp z o o|spolka z ograniczona odpowiedzialnoscia|spolka akcyjna|sp k|sp j|s p a|s r l|s r o|d o o|a s|o u|k k|g k|l l c|s a
  closed joint stock company|open joint stock company|public joint stock company|private joint stock company|joint stock company|joint stock
  public limited company|private limited company|limited liability company|limited liability partnership|limited partnership|public company
  private company limited by shares|company limited|private limited|pvt ltd|co ltd|pte ltd|pty ltd|sdn bhd|gmbh co kg|ag co kg|and co
  besloten vennootschap|naamloze vennootschap|societe cooperative|kabushiki kaisha|kabushiki gaisha|yugen kaisha|godo kaisha|chusik hoesa|jusik hoesa
  anonim sirketi|limited sirketi|ltd sti|san ve tic|sanayi ve ticaret|perseroan terbatas|free zone company|free zone establishment|osakeyhtio
  drustvo s ogranicenom odgovornoscu|drustvo sa ogranicenom odgovornoscu|drushestvo s ogranichena otgovornost|s ogranicenom odgovornoscu
  korlatolt felelossegu tarsasag|spol s r o|spolecnost s rucenim omezenym|cong ty tnhh|cong ty co phan|cong ty|private joint stock|state unitary enterprise
  federal state unitary enterprise|unitary enterprise`
  .trim()
  .split(/[|\n]\s*/)
  .map((phrase) => phrase.trim().split(' '))
  .sort((one, other) => other.length - one.length)

const byFirst = Map.groupBy(phrases, ([first = '']) => first)

const lastWords: ReadonlySet<string> = new Set([...words, ...phrases.map((phrase) => phrase.at(-1) ?? '')])

/** Tells cheaply whether a name can end with a legal form. */
export function mayEndWithForm(name: string): boolean {
  const last = name.slice(name.trimEnd().lastIndexOf(' ') + 1)
  // S.A. and L.L.C. are one word; forms with accents are few enough to look at each.
  return /[^a-z.,\s]/i.test(last) || lastWords.has(last.replaceAll(/[^a-z]/gi, '').toLowerCase())
}

/** Marks the words of a business name that belong to its legal form, and "the". */
export function markLegalForm(tokens: readonly string[]): boolean[] {
  const marks = tokens.map((token) => words.has(token) || token === 'the')
  for (let at = 0; at < tokens.length; at++) {
    const phrase = byFirst.get(tokens[at] ?? '')?.find((each) => each.every((word, next) => tokens[at + next] === word))
    if (phrase) marks.fill(true, at, at + phrase.length)
  }
  return marks
}
