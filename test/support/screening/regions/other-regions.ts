import { coin, compound, pickRanked, pickSome, pool, type Region } from './pool.ts'

const southAsianGiven =
  pool(`Muhammad/Mohammad/Mohammed Abdul Ahmed/Ahmad Rajesh Sanjay Rahul Amit Vijay Anil Suresh Ramesh Sunil Ashok Ravi Deepak Arun Manoj Rakesh
  Imran Tariq Asif Nadeem/Nadim Shahid Faisal Zafar Iqbal Javed/Jawed Kamran Aslam Rashid Khalid Hafeez/Hafiz Gul Noor Naseer Bashir Jalaluddin
  Sirajuddin Haqqani Dawood Priya Sunita Anita Pooja Lakshmi Shanthi Fathima Nasreen Gurpreet Harpreet Baljit Kumara Mahinda Shavendra Velupillai`)
const southAsianFamily =
  pool(`Khan Singh Kumar Sharma Ahmed Ali Patel Hussain/Hussein Shah Gupta Das Malik Verma Rahman Hossain Mishra Yadav Reddy Nair Iyer Chaudhry/Choudhary
  Mehta Joshi Jain Agarwal Pillai Rao Bhatt Bhat Siddiqui Qureshi Sheikh Akhtar Butt Mirza Kaur Gill Sidhu Perera Fernando Silva Bandara Islam Begum
  Haqqani Zadran Akhund Noorzai Achakzai Barakzai Popalzai Mehsud Wazir Afridi Yousafzai Durrani Karzai Kaskar Memon`)
const southAsianHeads = pool(
  `Raj Bala Chandra Vikram Subra Ven Jaya Ananda Dev Krishna Rama Siva Guna Nata Mano Vish Hari Para`,
)
const southAsianTails = pool(
  `nathan singhe moorthy kumar swamy rajan gopal sekaran ratne wardena chandran manian pathy lingam prasad`,
)

export const southAsian: Region = {
  name: 'South Asian',
  share: 6,
  make: (random) => ({
    given: [
      random.chance(0.3)
        ? { latin: [coin(random, 1 + random.below(2), ['esh', 'ullah', 'deep', 'it', 'uddin'])] }
        : pickRanked(random, southAsianGiven),
    ],
    middle: random.chance(0.35) ? pickSome(random, southAsianGiven, 1) : [],
    family: [
      random.chance(0.45)
        ? pickRanked(random, southAsianFamily)
        : random.chance(0.5)
          ? compound(random, southAsianHeads, southAsianTails)
          : { latin: [coin(random, 1 + random.below(2), ['zai', 'wal', 'kar', 'ani', 'pur'])] },
    ],
  }),
}

const africanGiven =
  pool(`Emmanuel John Joseph Jean Pierre Paul Samuel Moses Ibrahim Abubakar Musa Chinedu Emeka Oluwaseun Tunde Kwame Kofi Kwabena Abdi Hassan Mohamed
  Ahmed Omar Bosco Laurent Robert Emmerson Constantino Salva Riek Joao Isabel Fatou Mariama Aminata Amadou Mamadou Ousmane Seydou Tesfaye Getachew
  Abiy Haile Girma Thabo Sipho Nelson Tendai Farai Gideon Denis Thomas Bernard Sylvestre Innocent Callixte Patrice Aboubacar Iyad Ramadane`)
const africanFamily =
  pool(`Mohamed Abdi Hassan Ali Okafor Okeke Adeyemi Ogunleye Ibrahim Bello Abubakar Mensah Owusu Boateng Traore Diallo Diop Ndiaye Keita Coulibaly
  Toure Diarra Kamau Mwangi Otieno Ochieng Odhiambo Njoroge Moyo Ncube Sibanda Dube Dlamini Nkosi Ndlovu Zulu Tesfaye Bekele Tadesse Abebe Banda
  Phiri Mutua Nkurunziza Ndayishimiye Habimana Kabila Mugabe Mnangagwa Taylor Johnson Kiir Machar Deng Malong Ntaganda Mudacumura Sankoh Kony`)
const africanHeads = pool(`Nku Mba Oka Ade Olu Chi Ndi Mwa Kam Tshi Bwe Nga Musa Kala Mutu Shi Zu Gba Nwa Ama`)
const africanTails = pool(
  `runziza benga yemi lomba ngwa wande kulu fana rira dike gwu bosi mba yinka tunde nde komo kasa bira`,
)

export const african: Region = {
  name: 'African',
  share: 4,
  make: (random) => ({
    given: [random.chance(0.3) ? { latin: [coin(random, 2, ['a', 'o', 'e', 'i'])] } : pickRanked(random, africanGiven)],
    middle: random.chance(0.35) ? pickSome(random, africanGiven, 1) : [],
    family: [
      random.chance(0.3)
        ? pickRanked(random, africanFamily)
        : random.chance(0.5)
          ? compound(random, africanHeads, africanTails)
          : { latin: [coin(random, 2, ['a', 'o', 'we', 'u', 'i'])] },
    ],
  }),
}

const englishGiven =
  pool(`James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark Donald Steven Paul Andrew
  Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon
  Benjamin Samuel Gregory Frank Alexander Raymond Patrick Jack Dennis Jerry Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen
  Lisa Nancy Betty Sandra Margaret Ashley Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Laura Helen Amy`)
const englishFamily =
  pool(`Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Wilson Anderson Taylor Moore Jackson Martin Lee Thompson White Harris Clark
  Lewis Robinson Walker Young Allen King Wright Scott Hill Green Adams Baker Nelson Campbell Mitchell Carter Roberts Phillips Evans Turner Parker
  Collins Edwards Stewart Morris Murphy Cook Rogers Morgan Cooper Peterson Reed Bailey Bell Kelly Howard Ward Cox Richardson Wood Watson Brooks
  Bennett Gray James Hughes Price Myers Long Foster Sanders Ross Powell Sullivan Russell Fisher Henderson Cole West Jordan Reynolds`)
const englishHeads = pool(
  `Ash Brad Clay Dun El Far Grim Hart Kil Lang Marsh Nor Oak Pem Rad Stan Thorn Wake Win Black Hather`,
)
const englishTails = pool(
  `bury combe field wick worth ham ley shaw thorpe well stead ridge brook croft dale gate land more`,
)

export const english: Region = {
  name: 'English',
  share: 4,
  make: (random) => ({
    given: [pickRanked(random, englishGiven)],
    middle: random.chance(0.45) ? pickSome(random, englishGiven, 1) : [],
    family: [
      random.chance(0.3)
        ? pickRanked(random, englishFamily)
        : random.chance(0.4)
          ? compound(random, englishHeads, englishTails)
          : { latin: [coin(random, 1 + random.below(2), ['er', 'on', 'ley', 'ins', 'ert'])] },
    ],
  }),
}

const europeanGiven =
  pool(`Jean Pierre Michel Philippe Hans Peter Klaus Wolfgang Jürgen/Jurgen Giuseppe Giovanni Marco Luca Jan Piet Lars Erik Anders Nikos Georgios
  Dimitrios Zoran Dragan Milan Goran Slobodan Ratko Radovan Milorad Dejan Piotr Krzysztof Tomasz Andrzej Marie Sophie Anna Ingrid Francesca Milica`)
const europeanFamily =
  pool(`Müller/Mueller Schmidt Schneider Fischer Weber Martin Bernard Dubois Durand Rossi Russo Ferrari Esposito Bianchi Jansen Bakker Visser
  Hansen Johansson Andersson Nielsen Papadopoulos Georgiou Jovanović/Jovanovic Petrović/Petrovic Nikolić/Nikolic Marković/Markovic Kowalski Nowak
  Wiśniewski/Wisniewski Wójcik/Wojcik Horvat Novák/Novak Popescu Ionescu Nagy Kovács/Kovacs Tóth/Toth Dodik Karadžić/Karadzic Mladić/Mladic`)

export const european: Region = {
  name: 'European',
  share: 4,
  make: (random) => ({
    given: [pickRanked(random, europeanGiven)],
    middle: random.chance(0.2) ? pickSome(random, europeanGiven, 1) : [],
    family: [
      random.chance(0.2)
        ? pickRanked(random, europeanFamily)
        : { latin: [coin(random, 2, ['ic', 'er', 'ini', 'eau', 'sen', 'ski'])] },
    ],
  }),
}
