import { pinyinKey } from './spelling/chinese.ts'
import { soundOf } from './spelling/sound.ts'
import { variantGroups } from './spelling/spelling-variants.ts'

/**
 * How common a given or family name is among the people of its own region, estimated in steps: `perMille` of the people
 * who bear it (given names: of their sex). A list holds the namesakes of few people, so a common name looks rare there.
 */
const steps: readonly { perMille: number; names: string }[] = [
  // Jordan, Spain and Mexico count one in ten; María is one in five.
  { perMille: 100, names: 'muhammad mohammed mohamed mohammad jose maria' },
  {
    perMille: 70,
    names: `kim lee yi ri wang li zhang nguyen tran park pak aleksandr`,
  },
  {
    perMille: 42,
    names: `ahmad ahmed ali hasan husayn hussain hossein hussein abdul juan liu chen choi choe sergei vladimir elena olga natalia tatiana irina kaur devi begum fatima fatma mehmet garcia hernandez le pham
      john james abdallah abdah abdulah khan`,
  },
  {
    perMille: 25,
    names: `mahmud ibrahim khalid mustafa martinez lopez gonzalez rodriguez luis carlos jesus andrei aleksei dmitri nikolai svetlana ana anna yang huang zhao wu zhou jung jeong jong chung kang cho jo
      yoon yun jang chang lim huynh hoang phan vu vo dang robert michael david william mary reza mehdi mustafa ahmet ayse emine hatice zahra fatemeh maryam sharma das ahmadi jean singh kumar`,
  },
  {
    perMille: 15,
    names: `umar yusuf said abdrahman salih miguel francisco antonio manuel jorge pedro perez sanchez ramirez mikhail ivan yuri igor viktor oleg evgeny ekaterina yulia marina lyudmila galina xu sun ma zhu hu guo he
      lin richard joseph thomas charles christopher daniel smith patel shah gupta islam rahman hossain mohammadi hosseini karimi rezaei sato suzuki yilmaz abbas amir saeed hamid majid rosa guadalupe patricia silva
      santos oliveira souza fernandes aisha zaynab khadija mariam jennifer linda elizabeth barbara susan patricia khatun bibi`,
  },
  {
    perMille: 9,
    names: `hamid nasir sulayman salim tariq jamal walid rashid karim samir adil hamza bilal musa isa uthman abdaziz ismail masri sayyid alejandro fernando rafael ricardo eduardo javier roberto sergio flores torres gomez diaz rivera cruz
      morales reyes pavel maxim roman denis anatoly valery vasily ivanov smirnov ivanova smirnova nadezhda valentina anastasia gao luo zheng liang xie song tang han oh seo so shin sin kwon hwang ahn an bui do ngo duong ly johnson williams brown
      jones matthew anthony mark steven paul andrew george jessica sarah karen moradi rahimi jafari ebrahimi hashemi mousavi alireza mohammadreza mohsen ali takahashi tanaka kaya demir sahin huseyin osman murat elif zeynep yadav mishra verma reddy
      rajesh sanjay amit vijay suresh ramesh sunil anil imran pierre michel marie muller rossi nowak traore diallo layla amina laura carmen claudia gabriela daniela malik iqbal`,
  },
  {
    perMille: 5,
    names: `faysal abdkarim jabir hisham majid nabil sami zayd qasim fahd yasir ayman usama imad marwan anas yahya mahdi harbi shammari zahrani ghamdi qahtani utaybi mutayri dawsari anazi maliki haddad khalil mansur
      daniel hector raul mario victor ramon arturo oscar enrique gustavo julio cesar alberto diego pablo andres gutierrez ortiz chavez ramos ruiz mendoza alvarez castillo jimenez romero moreno herrera
      medina vargas castro mendez pereira costa ferreira rodrigues almeida lima joao paulo sandra leticia martha silvia elena teresa veronica sofia isabel adriana andrea paula alejandra
      kuznetsov popov vasiliev petrov sokolov konstantin boris leonid anton artem vitaly vyacheslav gennady larisa ksenia viktoria daria nina vera alla oksana deng cao feng yu dong xiao cheng cai pan yuan tian jiang du ye wei su lu ding ren
      shen hong jeon ryu yoo miller davis wilson anderson taylor moore jackson martin kenneth edward brian kevin ronald timothy jason jeffrey ryan gary nicholas eric jonathan stephen jacob nancy lisa betty margaret ashley
      kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca nair rao jain joshi mehta agarwal siddiqui qureshi sheikh akhtar chowdhury uddin alam roy ashok asif tariq ravi deepak arun manoj rakesh rahul priya sunita anita
      lakshmi ayesha ghasemi sadeghi heidari akbari salehi kazemi masoud gholamreza morteza mojtaba javad leila zeinab masoumeh ito yamamoto watanabe nakamura kobayashi kato hiroshi takashi kenji kazuo
      celik yildiz yildirim ozturk aydin ozdemir omer ramazan halil suleyman ibrahim schmidt schneider fischer weber hans peter giuseppe giovanni marco kowalski piotr krzysztof jan diop ndiaye coulibaly keita toure okafor
      emmanuel mamadou amadou fatou aminata hassan mwangi mensah dlamini tesfaye`,
  },
  {
    perMille: 2.7,
    names: `farid munir sharif hatim anwar fuad riyad ziyad ammar bassam ghassan mahir talal rami badr jihad husam isam wail tamir ashraf ihab fadi murad jasim layth nizar firas raid nawwaf zakariya idris harun dawud sultan saad turki
      jaburi hamdani hakim najjar baghdadi halabi shami khatib hashimi asadi saadi darwish awad hamdan aziz amin yunus shihri juhani balawi tamimi bayati musawi ubaydi dulaymi barakat habib ghanim ramadan kamil rashidi
      nur sara huda amal hanan iman salma samira rania dina muna hiba yasmin asma rim maha
      aguilar salazar guzman rojas munoz velazquez contreras guerrero estrada sandoval dominguez vega soto delgado pena rios alvarado maldonado valencia acosta cardenas juarez cabrera campos fuentes
      carrillo nunez espinoza figueroa cortes avila molina leon navarro miranda mejia gomes ribeiro alves carvalho lopes martins joaquin martin guillermo alfredo felipe alfonso ignacio marcos luiz santiago gabriel ruben gerardo armando salvador
      mauricio rodrigo edgar ernesto angel adrian sebastian nicolas jaime juana margarita lucia monica beatriz gloria norma valentina camila fernanda carolina diana julia
      mikhailov novikov fedorov morozov volkov alekseev lebedev semenov egorov pavlov kozlov stepanov nikolaev orlov andreev makarov nikitin zakharov zaitsev soloviev borisov yakovlev grigoriev romanov vorobiev sergeev petr grigory
      stanislav ruslan kirill timur ilya vadim georgy fedor nikita bogdan lyubov kristina polina alina evgenia inna tamara shevchenko kovalenko bondarenko tkachenko kravchenko melnik
      white harris clark lewis robinson walker young allen king wright scott hill green adams baker thompson nelson campbell mitchell carter roberts larry justin brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry
      tyler aaron adam nathan henry douglas peter donald joshua sharon cynthia kathleen amy angela shirley helen brenda pamela nicole emma
      pillai bhatt bhat butt mirza gill sidhu perera fernando bandara chaudhry iyer pandey tiwari ansari raza abbasi sarkar ghosh banerjee mukherjee chatterjee das mondal biswas patil desai chauhan rathore thakur baloch afridi
      nadeem shahid zafar javed kamran aslam hafeez gul noor naseer bashir usman adnan naveed saleem krishna mohan ganesh mahesh prakash vinod mukesh dinesh pooja neha kavita rekha meena nasreen rukhsana zainab
      najafi amini bagheri soleimani rostami shirazi tehrani davood farhad mostafa esmail bahram ebrahim mahmoud narges sara elham samira nasrin abbasi azizi asadi maleki nazari sharifi zarei yousefi gholami
      yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi saito shimizu akira makoto takeshi yuko keiko kazuko yoshiko arslan dogan kilic aslan cetin kara koc kurt ozkan simsek abdullah recep fatih kadir hakan kemal emre merve meryem
      meyer wagner becker schulz hoffmann bernard dubois durand moreau russo ferrari esposito bianchi romano jansen bakker visser hansen johansen johansson andersson nielsen jensen larsen jovanovic petrovic nikolic markovic
      wisniewski horvat novak popescu ionescu nagy kovacs toth szabo papadopoulos philippe alain klaus wolfgang thomas andreas stefan luca francesco lars erik anders georgios dimitrios nikos ioannis zoran dragan milan goran tomasz andrzej pawel
      marek jozsef laszlo istvan katarzyna agnieszka ewa sophie okeke adeyemi bello abubakar owusu boateng diarra kamau otieno ochieng moyo ncube sibanda dube nkosi ndlovu bekele tadesse abebe banda phiri samuel
      moses kwame kofi abdi emeka chinedu ousmane moussa grace mariama ko go moon mun son bae baek heo ho no noh nam sim shim ha jun ming hui ping xin hai jie yong young hyun min sung ji hee chol kyong myong jin
      zeng peng lü fu fang shi zhong xiong jin wan yao dai qin gu meng qian bai hou shao mao yi kong lai`,
  },
  {
    perMille: 1.4,
    names: `sabri majdi lutfi ramzi fadil thamir harith ayyub luay qusay muhannad karima najat suad latifa nadia wafa nawal duri tikriti zubaydi rawi qaysi rubayi iraqi yamani hajj nasrallah khuri shahin trabulsi gharbi hariri sabbagh
      zaki ajmi nuaymi suwaydi balushi busaydi kabi marri hajiri amri subayi khafaji tai janabi attar bakri fasi idrisi alawi libi tunisi sudani kurdi
      ibarra solis lara salas trejo bautista cervantes robles orozco zamora pacheco rosales mora serrano duran padilla ayala camacho cisneros marquez arellano osorio galvan villanueva bravo franco gallegos
      macias montes parra quintero rangel tapia trujillo zuniga blanco calderon correa escobar lozano nieto ochoa paredes ponce prieto restrepo roldan salinas sierra tovar uribe vera villa zapata suarez valdez benitez
      cordova arias barrera velasco villegas peralta meza luna rivas vasquez valenzuela aguirre montoya murillo pineda hurtado guerra barbosa rocha dias moreira nunes marques cardoso teixeira
      gonzalo alvaro leonardo emilio tomas esteban rogelio rodolfo felix rolando orlando agustin vicente hugo nestor gilberto ismael raquel pilar yolanda irma alicia angelica cecilia lorena susana esther mercedes cristina lucas bruno
      kuzmin frolov aleksandrov dmitriev korolev gusev kiselev ilyin maksimov polyakov sorokin vinogradov kovalev belov medvedev antonov tarasov zhukov baranov filippov komarov davydov belyaev gerasimov bogdanov osipov sidorov matveev
      titov markov mironov krylov kulikov karpov vlasov melnikov denisov gavrilov tikhonov kazakov afanasiev danilov savelyev timofeev fomin chernov abramov martynov efimov fedotov shcherbakov nazarov kalinin isaev bykov maslov rodionov
      konovalov lazarev klimov filatov ponomarev golubev kudryavtsev prokhorov naumov potapov zhuravlev ovchinnikov trofimov leonov sobolev ermakov kolesnikov goncharov nikiforov grachev kotov arkhipov gromov kirillov panov rumyantsev boyko kovalchuk
      oliynyk shevchuk polishchuk lysenko marchenko savchenko rudenko petrenko moroz klymenko pavlenko eduard semen arkady taras marat lev gleb vladislav stepan arseny rinat albert yaroslav valentin yakov german egor veronika zoya raisa sofia
      phillips evans turner parker collins edwards stewart morris murphy cook rogers morgan cooper peterson reed bailey bell kelly howard ward cox richardson wood watson brooks bennett gray hughes price myers long foster sanders ross
      powell sullivan russell fisher henderson cole west jordan reynolds graham wallace hamilton ford palmer gibson knight mason shaw holmes simpson walsh davies zachary kyle walter jeremy keith roger terry sean gerald carl harold arthur lawrence
      alan philip simon joe albert wayne vincent roy ralph russell eugene ian neil harry oliver joan alice anna samantha katherine christine rachel janet catherine heather diane ruth julie victoria
      saha nath dubey shukla tripathi rajput kulkarni deshmukh jadhav shinde pawar shetty menon krishnan raman swamy yousafzai bugti soomro memon awan niazi rana dhillon sandhu grewal thapa gurung shrestha dutta bose sen paul haque miah ashraf mahmood
      rohit arjun karthik gopal harish naveen pradeep sandeep nitin gaurav abhishek ankit varun kashif waqar shoaib vikram nurul rafiq gurpreet harpreet asha divya swati nisha anjali radha sita geeta usha kiran simran shabana savita sarita bushra
      farzana parveen bahrami ghorbani habibi hamidi jalali kamali khosravi mirzaei mohseni nouri rajabi ranjbar soltani tavakoli yazdani zamani norouzi safari taheri mahmoudi mansouri razavi shabani afshar bakhtiari kiani lotfi
      behzad arash babak omid hadi vahid ehsan milad sina rasoul akbar asghar rahim jalal parviz kazem naser shirin parisa mina somayeh azadeh tahereh marzieh
      yamazaki mori abe ikeda hashimoto ishikawa ogawa okada hasegawa goto murakami kondo sakamoto endo aoki fujita nishimura fukuda ota miura okamoto matsuda nakajima fujiwara ono tamura takeuchi kaneko wada nakayama ishida minoru shigeru masao
      yoshio tadashi isamu osamu hideo kenichi michiko akiko naoko yoko masako sachiko tomoko hiroko noriko naoki daisuke
      polat korkmaz cakir erdogan yavuz can acar aktas gunes tekin bulut keskin turan gul avci isik kaplan bozkurt tas unal ates erdem guler yalcin yuksel ozcan aksoy adem yasar bekir metin orhan bayram serkan burak cemal cengiz
      serife zehra sultan hanife esra ozlem laurent simon lefebvre leroy colombo ricci marino greco smit olsen andersen karlsson nilsson eriksson stojanovic ilic pavlovic kaminski lewandowski kovacevic babic svoboda dvorak popa radu
      horvath varga georgiev dimitrov hoxha berisha krasniqi virtanen nicolas antonio mario johan konstantinos nikola marko aleksandar josip petr josef jiri martin georgi dimitar hendrik willem gabor mihai gheorghe ion monika julia claire isabelle
      francesca giulia jelena ogunleye ibrahim kone ouattara ouedraogo camara barry bah sow sall cisse kamara sesay koroma warsame farah osman jama okoro eze nwosu balogun ojo sani asante appiah osei njoroge odhiambo kimani mutua
      thabo sipho tendai girma getachew tunde blessing esther ngozi halima`,
  },
]

// The weight of a name is its information as a share of what tells one of so many people apart: see name-index.ts.
const people = 7_500
const weightOf = (perMille: number) => -Math.log(perMille / 1_000) / Math.log(people)

const byText = new Map<string, number>()
const byKey = new Map<string, number>()
for (const { perMille, names } of steps) {
  const weight = weightOf(perMille)
  for (const name of names.trim().split(/\s+/)) {
    if (!byText.has(name)) byText.set(name, weight)
    for (const key of keysOf(name)) if (!byKey.has(key)) byKey.set(key, weight)
  }
}

/** The name in any spelling; a Chinese syllable has only its own. */
function keysOf(name: string): string[] {
  if (pinyinKey(name) !== undefined) return []
  return [`=${soundOf(name)}`, ...(variantGroups.get(name) ?? []).map((group) => `v${group}`)]
}

const maxKnown = 50_000
const known = new Map<string, number | undefined>()

/** The weight of a name that is common in its region; undefined for any other. */
export function commonNameWeight(name: string): number | undefined {
  if (known.has(name)) return known.get(name)
  // The family name of a woman: Petrova is as common as Petrov.
  const weight = findWeight(name) ?? (/(?:ov|ev|in)a$/.test(name) ? findWeight(name.slice(0, -1)) : undefined)
  if (known.size < maxKnown) known.set(name, weight)
  return weight
}

function findWeight(name: string): number | undefined {
  const own = byText.get(name)
  if (own !== undefined) return own
  for (const key of keysOf(name)) {
    const weight = byKey.get(key)
    if (weight !== undefined) return weight
  }
  return undefined
}
